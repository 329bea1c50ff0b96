// The shape of `whittle findings --json`, as far as the cards read it, and the sentences on them.
import type { StateChange } from '../../state/change';
import { readable } from '../../format/numbers';
import { interval, share } from '../../format/shares';

export type Confidence = 'certain' | 'likely' | 'possible';

export interface OtherSite {
  function: string;
  file: string | null;
  line: number | null;
  what: string;
}

export interface EditSite {
  class: string;
  method: string;
  file: string | null;
  line: number | null;
  what: string;
  text: string | null;
  steps: string[];
  others: OtherSite[];
  field: { field: string; declaration: string; line: number | null; uses: OtherSite[] } | null;
}

export type SiteAnswer = ({ state: 'found' } & EditSite) | { state: 'not_found'; reason: string } | { state: 'none' };

export interface UnitCost {
  unit: string;
  cpu_ns_per_unit: number;
  kind: 'fixed' | 'per_unit' | 'not_told';
  fixed_ratio: number | null;
  low_ratio: number | null;
  high_ratio: number | null;
}

export interface Finding {
  rank: number;
  detector: string;
  title: string;
  confidence: Confidence;
  criteria: { text: string; holds: boolean | null }[];
  spent: { measure: string; ratio: number; low_ratio: number; high_ratio: number; of: string; value: number; program_ratio: number };
  expected: { ratio: number; endpoint: string; model: string; at_least: boolean; program_ratio: number } | null;
  saving_note: string;
  /** Missing where the program does not count its work. */
  unit_cost?: UnitCost | null;
  anchor: string;
  calling: {
    function: string;
    file: string | null;
    line: number | null;
    text: string | null;
    lines: { line: number | null; ratio: number }[];
    library: { function: string; file: string | null; line: number | null; jar: string | null } | null;
  };
  site: SiteAnswer;
  evidence: { text: string }[];
  fix: string;
  check_first: string[];
  page: string;
  filter: string;
}

export interface Findings {
  filter: string | null;
  notes: string[];
  work: {
    groups: { name: string; threads_count: number; cpu_ratio: number }[];
    cpu_ns: number;
    samples_count: number;
    from_ns: number;
    to_ns: number;
    warm_up: string;
  };
  quality: { id: string; severity: 'serious' | 'note'; text: string }[];
  findings: Finding[];
  minor?: { title: string; function: string; file: string | null; line: number | null; program_ratio: number }[];
  union_ratio: number;
  scattered: { function: string; ratio: number; paths_count: number; largest_path_ratio: number; finding: number | null }[];
  largest_unexplained: { function: string; ratio: number } | null;
  checked_count: number;
  not_checked: { detector: string; title: string; needs: string }[];
}

/** `Slow.java:5`, or what of it is known; undefined if nothing is. */
export function placeOf(at: { file: string | null; line: number | null }): string | undefined {
  if (at.file !== null) return at.line === null ? at.file : `${at.file}:${at.line}`;
  return at.line === null ? undefined : `line ${at.line}`;
}

/** `app.Main.<init>` of an edit site. */
export function siteFunction(site: EditSite): string {
  return `${site.class.replaceAll('/', '.')}.${site.method}`;
}

const ENDPOINTS: Record<string, string> = { cpu: 'CPU time', elapsed: 'elapsed time' };

/** `about 82 % of the CPU time of these threads`; never a bound. */
export function expectedWords(finding: Finding): string {
  const { expected } = finding;
  if (expected === null) return 'not predicted';
  const about = expected.at_least ? 'at least about' : 'about';
  return `${about} ${share(expected.ratio)} of the ${ENDPOINTS[expected.endpoint] ?? expected.endpoint} of these threads`;
}

const COST_KINDS = { fixed: 'fixed cost', per_unit: 'grows with the work', not_told: 'fixed or growing with the work, the data does not say' };

/** What a unit of work costs, and what is there without any. */
export function unitCostWords(cost: UnitCost): string {
  const mean = `${readable(cost.cpu_ns_per_unit, 'nanoseconds')} of CPU for each of the ${cost.unit}`;
  if (cost.fixed_ratio === null || cost.low_ratio === null || cost.high_ratio === null) return mean;
  return `${mean}; ${COST_KINDS[cost.kind]} (fixed part ${share(cost.fixed_ratio)}, 95 % interval ${interval(cost.low_ratio, cost.high_ratio)})`;
}

/** What was spent in its own unit: `5.05 s`. */
export function spentValue(finding: Finding): string {
  return readable(finding.spent.value, finding.spent.measure === 'alloc_bytes' ? 'bytes' : 'nanoseconds');
}

const SAME = 0.005;

/** The share of all work threads, where it is another one. */
export function ofProgram(of: { ratio: number; program_ratio: number }): string {
  return Math.abs(of.ratio - of.program_ratio) < SAME ? '' : ` (${share(of.program_ratio)} of that of all work threads)`;
}

export function threadsWords(findings: Findings): string {
  return findings.work.groups
    .map(({ name, threads_count }) => (threads_count === 1 ? name : `${name} (${threads_count} threads)`))
    .join(', ');
}

/** What there is to say where nothing was found: never that there is nothing. */
export function nothingFound(findings: Findings): string {
  const unexplained = findings.largest_unexplained;
  const rest = unexplained ? `; largest unexplained: ${unexplained.function}, ${share(unexplained.ratio)} of the CPU time of all work threads` : '';
  return `None of the ${findings.checked_count} known patterns that could be checked is above 3 %${rest}.`;
}

/** Titles of patterns that could not be checked, by what they need. */
export function missingData(findings: Findings): { needs: string; titles: string[] }[] {
  const byNeed = new Map<string, string[]>();
  for (const { needs, title } of findings.not_checked) byNeed.set(needs, [...(byNeed.get(needs) ?? []), title]);
  return [...byNeed].map(([needs, titles]) => ({ needs, titles }));
}

/** Shows the samples of a finding in a view. `parts` is the filter that the findings were computed with. */
export function showIn(view: string, finding: Finding, parts: readonly string[]): StateChange {
  const filter = parts.includes(finding.filter) ? [...parts] : [...parts, finding.filter];
  const selected = finding.calling.function;
  const base: StateChange = { view, filter, transforms: [], zoom: [] };
  if (view === 'flame-graph') return { ...base, mode: 'machine', search: '' };
  if (view === 'callers-callees') return { ...base, fragment: [selected], selected };
  return { ...base, selected };
}

/** Text with Markdown's code spans as parts: the words of detectors have no other markup in sentences. */
export function codeParts(text: string): { text: string; isCode: boolean }[] {
  return text.split('`').map((part, index) => ({ text: part, isCode: index % 2 === 1 })).filter(({ text: part }) => part !== '');
}
