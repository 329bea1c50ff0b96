// The API of `whittle-fleet serve`, and the types of its answers. The answers have the same form as the command line's
// JSON. Times are seconds since 1970-01-01 UTC.
import type { Answer } from './answer';
import type { FunctionKind } from './answers';
import type { HttpEngine } from './http';
import type { Request } from './request';

/** The cost of some CPU time. */
export interface Cost {
  /** CPU seconds per second. */
  cores: number;
  cost_per_year: number;
}

export interface ServiceRow {
  service: string;
  versions: string[];
  hosts: string[];
  regions: string[];
  /** Each `name=value`. */
  labels: string[];
  covered_s: number;
  exact_cpu_ns: number | null;
  sampled_cpu_ns: number;
  /** Sampled divided by exact CPU time; null: the exact CPU time is missing. */
  coverage_ratio: number | null;
  cost: Cost;
  sample_count: number;
  segment_count: number;
  losses: { reason: string; count: number }[];
}

export interface Services {
  whose: string;
  time: string;
  /** First and last second with data of the requested services, even outside the time range; null: no data. */
  observed_from_s: number | null;
  observed_to_s: number | null;
  per_core_hour: number;
  rows: ServiceRow[];
}

export interface TopRow {
  function: string;
  kind: FunctionKind;
  binary: string | null;
  exclusive_cpu_ns: number;
  inclusive_cpu_ns: number;
  exclusive: Cost;
  inclusive: Cost;
}

export interface Top {
  whose: string;
  time: string;
  per_core_hour: number;
  cpu_ns: number;
  total: Cost;
  row_count: number;
  rows: TopRow[];
  notes: string[];
}

/** A function's share in one period, for one version, host or other group. */
export interface ShareRow {
  from_s: number;
  to_s: number;
  part: string;
  exclusive_ratio: number | null;
  inclusive_ratio: number | null;
  inclusive_cost: Cost | null;
}

export interface Share {
  function: string;
  from_s: number;
  to_s: number;
  /** Length of a period in seconds. */
  every_s: number;
  rows: ShareRow[];
  notes: string[];
}

export type ChangeWord = 'regressed' | 'improved' | 'moved' | 'went_away' | 'unchanged' | 'not_enough_power';

/** The change of one function. Ratios are after ÷ before. */
export interface ChangeRow {
  name: string;
  domain: string;
  word: ChangeWord;
  sentence: string;
  is_watched: boolean;
  ratio: number | null;
  low_ratio: number | null;
  high_ratio: number | null;
  /** Shares, or nanoseconds per unit of work. */
  before: number;
  after: number;
  adjusted_p: number | null;
  /** The smallest growth that the data could show. */
  detectable_ratio: number | null;
  samples: number;
  no_power: string | null;
  moved: { domain: string; ratio: number; low_ratio: number; high_ratio: number; with: string[] } | null;
  steps: { from_s: number; ratio: number; low_ratio: number; high_ratio: number }[];
  cost_after: Cost | null;
  cost_of_change: Cost | null;
  cost_of_change_low: Cost | null;
  cost_of_change_high: Cost | null;
  cost_on_all: Cost | null;
}

export interface ChangedHost {
  host: string;
  role: 'upgraded' | 'other' | 'left_out';
  why: string | null;
}

/** A time range in seconds; the end is exclusive. */
export interface Window {
  from_s: number;
  to_s: number;
}

export interface Regressions {
  service: string;
  whose: string;
  time: string;
  method: 'difference_in_differences' | 'change_points';
  from_version: string | null;
  to_version: string | null;
  /** Sorted by first appearance, the oldest first. */
  versions: string[];
  measure: 'share' | 'per_unit';
  unit: string | null;
  question: { alpha_ratio: number; margin_ratio: number };
  before: Window | null;
  after: Window | null;
  hosts: ChangedHost[];
  host_counts: { upgraded: number; others: number; left_out: number };
  counts: { word: ChangeWord; functions: number }[];
  row_count: number;
  sentences: string[];
  rows: ChangeRow[];
  notes: string[];
}

export interface Saving {
  savings: { kind: 'per_unit' | 'per_machine' | 'fleet'; ratio: number }[];
  sentences: string[];
  saved: Cost | null;
  saved_by: 'per_unit' | 'per_machine' | 'fleet' | null;
  notes: string[];
}

export interface Opened {
  experiment: number;
  name: string;
}

/** The answer to a request, by the request's `view`. */
export interface FleetAnswers {
  regressions: Regressions;
  saving: Saving;
  services: Services;
  share: Share;
  top: Top;
}

export class FleetApi {
  constructor(private readonly engine: HttpEngine) {}

  /**
   * Answers `view`. The other keys of the request become words of the query. Null words are left out, lists are
   * repeated.
   */
  async ask(_experiment: number, { view, ...words }: Request, signal?: AbortSignal): Promise<Answer> {
    const value = await this.engine.json(`/api/fleet/${view}?${queryOf(words)}`, signal ? { signal } : {});
    return { kind: 'json', value };
  }

  /**
   * Makes an experiment from a selection. With `baseline`, it makes a comparison; `baseline` contains the words that
   * differ for the baseline.
   */
  open(words: Record<string, unknown>): Promise<Opened> {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(words) };
    return this.engine.json('/api/fleet/open', init);
  }
}

export function queryOf(words: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(words)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) query.append(name, String(each));
    }
  }
  return query.toString();
}
