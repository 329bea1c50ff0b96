// Shapes of the engine's JSON answers, as `whittle VIEW --json` prints them.

export type Unit = 'nanoseconds' | 'bytes' | 'count' | string;
export type Flavour = 'exclusive' | 'inclusive' | 'attributed' | 'plain';

export interface Column {
  flavour: Flavour;
  metric: string;
  title: string;
  unit: Unit;
  is_percent: boolean;
}

/** Values by field name, such as `exclusive_cpu_ns`; see `fieldOf`. A missing one is 0. */
export type Values = Readonly<Record<string, unknown>>;

export interface Table {
  view: string;
  mode: string;
  filter: string | null;
  sorted_by: string;
  notes: string[];
  columns: Column[];
  total: Values;
  row_count: number;
  rows: Row[];
}

export type Row = Values & { function: string; kind: string; binary?: string | null };

export interface MetricTotal {
  name: string;
  title: string;
  unit: Unit;
  total: number;
}

/** The answer to `experiment`. */
export interface Experiment {
  command: string[];
  comment?: string | null;
  state: string;
  duration_ns: number;
  start_wall_ns: number | null;
  metrics: MetricTotal[];
  modes?: string[];
  thread_count: number;
  sample_count: number;
  has_thread_states: boolean;
  has_syscalls: boolean;
  counters?: string[];
  [key: string]: unknown;
}
