// The shape of `whittle syscalls --json`, as far as the view reads it.

export interface Calls {
  calls_count: number;
  errors_count: number;
  bytes: number;
  bytes_per_call: number | null;
  duration_ns: number;
  p50_latency_ns: number | null;
  p99_latency_ns: number | null;
  longest_ns: number | null;
  sampled_count: number;
  is_estimate: boolean;
}

export interface CallsRow extends Calls {
  call?: string;
  file_kind?: string;
  file?: string;
  caller?: string;
  /** In comparisons, instead of the calls themselves. */
  baseline?: Calls | null;
  candidate?: Calls | null;
}

export interface Syscalls {
  sorted_by: string;
  notes: string[];
  by: string[];
  experiment_duration_ns: number;
  total: Calls & { baseline?: Calls | null; candidate?: Calls | null };
  row_count: number;
  rows: CallsRow[];
}
