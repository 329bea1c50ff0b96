// The types of verification.json, which `whittle verify -o DIR` writes. Fields that the page does not read are left
// out.
/** A side of a verification. */
export type Side = 'baseline' | 'candidate';

export type Word = 'improved' | 'worse' | 'changed' | 'no_relevant_change' | 'inconclusive';

export interface Verdict {
  word: Word;
  is_looks_like: boolean;
}

export interface Interval {
  /** Candidate ÷ baseline; null: one side has no value. */
  ratio: number | null;
  low_ratio: number | null;
  high_ratio: number | null;
}

export interface SideFigures {
  mean: number | null;
  median: number | null;
  /** A value of each run. `run` is the position in `runs`. */
  values: { run: number; value: number }[];
}

export interface Endpoint extends Interval {
  kind: 'cpu' | 'elapsed' | 'metric' | 'finding' | string;
  name: string;
  unit: string | null;
  is_primary: boolean;
  better: 'smaller' | 'larger' | 'unknown';
  baseline: SideFigures;
  candidate: SideFigures;
  method: 'paired_t' | 'welch_t' | 'one_run_each' | string | null;
  noise_ratio: number | null;
  detectable_ratio: number | null;
  verdict: Verdict;
  sentence: string;
}

export interface FunctionChange extends Interval {
  name: string;
  kind: string | null;
  baseline_ns: number;
  candidate_ns: number;
  samples: number;
}

export interface Run {
  side: Side;
  /** Number of the pair of runs (AB or BA); null: runs were not interleaved. */
  pair: number | null;
  /** Position among all runs in time order. */
  order: number;
  is_profiled: boolean;
}

export interface Verification {
  verdict: Verdict;
  words: string;
  sentences: string[];
  exit_status: number;
  design: {
    baseline: string;
    candidate: string;
    margin_ratio: number;
    alpha_ratio: number;
    order: 'interleaved' | 'sequential' | string;
  };
  run_counts: { baseline: number; candidate: number; baseline_profiled: number; candidate_profiled: number };
  per: string;
  endpoints: Endpoint[];
  functions: {
    per: string;
    tested_count: number;
    fewest_samples: number;
    false_discovery_ratio: number;
    is_looks_like: boolean;
    changed: FunctionChange[];
    other: FunctionChange | null;
    moved: { sentence: string }[];
  } | null;
  doubts: { kind: string; text: string }[];
  runs: Run[];
}
