// The shape of `whittle overview --json`, as far as the home view reads it.
import type { Column, Row, Values } from '../../engine/shapes';
import { fieldOf } from '../../format/columns';

export interface Call {
  call: string;
  calls_count: number;
  calls_per_second: number;
  bytes_per_call: number | null;
  duration_ns: number;
}

export interface Loss {
  reason: string;
  count: number;
  cpu_ns: number;
  description: string;
}

export interface Overview {
  sorted_by: string;
  state: string;
  comment?: string | null;
  command: string[];
  duration_ns: number;
  start_wall_ns: number | null;
  host: { name?: string; kernel?: string; cpu_count?: number } | null;
  jvm: { name?: string; version?: string; has_exact_lines?: boolean } | null;
  samples_count: number;
  threads_count: number;
  notes: string[];
  /** One for each metric. */
  columns: Column[];
  totals: Values;
  closure_ratio: number | null;
  closure: { exact_cpu_ns: number | null; sampled_ns: number; rooted_ns: number } | null;
  blocked_by_reason: { reason: string; duration_ns: number }[] | null;
  run_queue_ns: number | null;
  syscalls: {
    calls_count: number;
    calls_per_second: number;
    errors_count: number;
    bytes_per_call: number | null;
    duration_ns: number;
    top_by_time: Call[];
  } | null;
  not_counted: string[];
  losses: Loss[];
  collectors: { name: string; engine?: string | null; status: string; reason: string | null }[];
  why_no_system_cpu: string | null;
  resources: { real_ns?: number | null; gc_count?: number | null; gc_ns?: number | null; peak_rss_bytes?: number | null } | null;
  top_functions: Row[];
  /** In comparisons: figures that are no sums of samples. */
  counters?: ComparedCounter[];
  /** In comparisons: cost that moved between functions under one that costs what it did. */
  moved?: MovedCost[];
}

export interface ComparedCounter {
  title: string;
  /** null: a number that the program printed, in the unit of its name. */
  unit: string | null;
  baseline: number;
  candidate: number;
  is_better_when: 'smaller' | 'larger' | 'unknown' | null;
}

export interface MovedCost {
  under: string;
  from: string[];
  to: string[];
  /** In the unit of the first column. */
  value: number;
}

/** The metric that the top functions are ranked by. */
export function rankingMetric(overview: Overview): Column | undefined {
  return overview.columns.find((column) => fieldOf({ ...column, flavour: 'exclusive', is_percent: false }) === overview.sorted_by);
}

/** The total of a metric; undefined if it was not collected. */
export function totalOf(overview: Overview, metric: string): number | undefined {
  for (const suffix of ['_ns', '_bytes', '_count', '']) {
    const value = overview.totals[`${metric}${suffix}`];
    if (typeof value === 'number') return value;
  }
  return undefined;
}
