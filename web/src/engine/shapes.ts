// Shapes of the engine's JSON answers, as `whittle VIEW --json` prints them.

export type Unit = 'nanoseconds' | 'bytes' | 'count' | 'ratio' | string;
export type Flavour = 'exclusive' | 'inclusive' | 'attributed' | 'plain';

export interface Column {
  flavour: Flavour;
  metric: string;
  title: string;
  unit: Unit;
  is_percent: boolean;
  /** In comparisons: which of the four values of a metric. */
  part?: Part;
}

/** What a comparison says of each value: both sides, candidate - baseline, candidate / baseline. */
export type Part = 'baseline' | 'candidate' | 'delta' | 'ratio';

export interface ComparedSide {
  name: string;
  /** Experiments. */
  runs: number;
  duration_ns: number;
  cpu_ns: number;
  /** Units of work done; null: not known. */
  units: number | null;
}

/** What an answer of `experiment` has if it is a comparison of two sides. */
export interface Comparison {
  baseline: ComparedSide;
  candidate: ComparedSide;
  /** What all values are divided by. */
  per: { kind: 'unit' | 'second' | 'cpu_second' | string; words: string };
  /** How far it can be trusted. */
  words: string;
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
  comparison?: Comparison | null;
  [key: string]: unknown;
}
