// Texts and links of findings.

import type { Denied, EditSite, Endpoint, Figure, Finding, FindingsView, Measure, Minor, UnitCost } from '../../engine/answers';
import { counted, readable } from '../../format/numbers';
import { interval, share } from '../../format/shares';
import type { StateChange } from '../../state/change';

/** `Slow.java:5`, or the known part; undefined if nothing is known. */
export function placeOf(at: { file: string | null; line: number | null }): string | undefined {
  if (at.file !== null) return at.line === null ? at.file : `${at.file}:${at.line}`;
  return at.line === null ? undefined : `line ${at.line}`;
}

/** The function of a line to edit: `app.Main.<init>`. */
export function siteFunction(site: EditSite): string {
  return `${site.class.replaceAll('/', '.')}.${site.method}`;
}

const ENDPOINTS: Record<Endpoint, string> = { cpu: 'CPU time', elapsed: 'elapsed time' };

/** `73 to 86 % of the CPU time of these threads`. */
export function expectedWords(finding: Finding): string {
  const { expected } = finding;
  if (expected === null) return 'unknown';
  const only = expected.model === 'none' ? '; measure it with whittle verify' : '';
  return `${interval(expected.low_ratio, expected.high_ratio)} of the ${ENDPOINTS[expected.endpoint]} of these threads${only}`;
}

/** The evidence that names the holder of a lock. */
const KNOWN_HOLDER: readonly Figure[] = ['known_holder_ratio'];
/** The evidence about the holder if its thread is unknown. It is from the stacks of threads that do not wait for the lock. */
const LIKELY_HOLDERS: readonly Figure[] = ['held_ratio', 'holder_ratio'];

/** Who held the lock of a finding: the known holder, otherwise the likely holders. Empty: the finding has no evidence about a holder. */
export function holderWords({ evidence }: Finding): readonly string[] {
  const textsOf = (figures: readonly Figure[]) => evidence.flatMap(({ figure, text }) => (figures.includes(figure) ? text : []));
  const known = textsOf(KNOWN_HOLDER);
  return known.length > 0 ? known : textsOf(LIKELY_HOLDERS);
}

/** The views that show the samples of a finding, with their titles. */
const VIEWS = [
  ['flame-graph', 'Flame graph'],
  ['callers-callees', 'Callers & callees'],
  ['source', 'Source'],
] as const;

/** The detector of waits for locks. */
const LOCK_CONTENTION = 'lock-contention';

/** The views of a finding's card. `hasLocks`: the view of locks is there, and it shows who held the locks. */
export function viewsOf({ detector }: Finding, hasLocks: boolean): readonly (readonly [name: string, title: string])[] {
  return detector === LOCK_CONTENTION && hasLocks ? [...VIEWS, ['locks', 'Locks']] : VIEWS;
}

const COST_KINDS = {
  fixed: 'fixed cost',
  per_unit: 'grows with the work',
  not_told: 'the data does not show whether the cost is fixed or grows with the work',
};

/** The result of the last trial, or how to try the fix, or why it cannot be tried. */
export function trialWords({ rank, trial, tried }: Finding): string {
  if (tried !== null) return tried.words;
  if (trial.state === 'impossible') return `not possible: ${trial.reason}`;
  const places = trial.places.map((place) => place.words).join('; ');
  return `whittle try … ${rank} measures without an edit: ${places} ${trial.title}`;
}

/** What a reader of the last trial's result must know. */
export function trialNotes({ tried }: Finding): readonly string[] {
  return tried?.notes ?? [];
}

/** The cost per unit of work, and the cost that does not depend on the amount of work. */
export function unitCostWords(cost: UnitCost): string {
  const mean = `${readable(cost.cpu_ns_per_unit, 'nanoseconds')} of CPU time for each of the ${cost.unit}`;
  if (cost.fixed_ratio === null || cost.low_ratio === null || cost.high_ratio === null) return mean;
  return `${mean}; ${COST_KINDS[cost.kind]} (fixed part ${share(cost.fixed_ratio)}, 95 % interval ${interval(cost.low_ratio, cost.high_ratio)})`;
}

/** The cost in its unit: `5.05 s`. */
export function spentValue(finding: Finding): string {
  return readable(finding.spent.value, finding.spent.measure === 'alloc_bytes' ? 'bytes' : 'nanoseconds');
}

const SAME = 0.005;

/** The share of all work threads, if it differs from `ratio`. */
export function ofProgram(of: { ratio: number; program_ratio: number }): string {
  return Math.abs(of.ratio - of.program_ratio) < SAME ? '' : ` (${share(of.program_ratio)} over all work threads)`;
}

/** `In main: 5.05 s of CPU time, 505 samples`, or `CPU time unknown, 505 samples` if the samples are only counts. */
export function workWords(findings: FindingsView): string {
  const { cpu_ns, samples_count } = findings.work;
  const threads = threadsWords(findings);
  const cpu = cpu_ns === null ? 'CPU time unknown' : `${readable(cpu_ns, 'nanoseconds')} of CPU time`;
  return `${threads === '' ? '' : `In ${threads}: `}${cpu}, ${counted(samples_count, 'sample')}`;
}

/** Later groups have little CPU time. */
const MOST_GROUPS = 5;

function threadsWords(findings: FindingsView): string {
  const names = findings.work.groups.map(({ name, threads_count }) =>
    threads_count === 1 ? name : `${name} (${counted(threads_count, 'thread')})`,
  );
  return withRest(names.slice(0, MOST_GROUPS), Math.max(0, names.length - MOST_GROUPS)).join(', ');
}

/** The text if there is no finding. The text never says that the program has no problem. */
export function nothingFound(findings: FindingsView): string {
  const unexplained = findings.largest_unexplained;
  const rest = unexplained
    ? ` Largest unexplained function: ${unexplained.function}, ${share(unexplained.ratio)} of all work threads' CPU time.`
    : '';
  const largest = findings.largest_unplaced;
  const unplaced =
    findings.unplaced_ratio >= 0.05
      ? ` ${share(findings.unplaced_ratio)} has no stack with a line of the program, so no finding can explain it${largest ? ` (largest part: ${largest.function})` : ''}.`
      : '';
  return `None of the ${findings.checked_count} checked patterns reaches 3 %. This does not mean that the program is efficient.${rest}${unplaced}`;
}

/** The measured and the assumed part of a prediction. */
export function predictionWords(finding: Finding): string {
  if (finding.expected === null) return `Unknown, because data is missing: ${finding.saving_note}`;
  return `${finding.expected.model === 'none' ? 'Nothing is promised, because' : 'Assumed:'} ${finding.saving_note}`;
}

const TOTALS: Record<Denied['measure'], string> = {
  cpu: 'CPU time',
  elapsed: 'elapsed time',
  alloc_bytes: 'allocated bytes',
};

/** A pattern with its place and share. */
function placeAndShare({ title, function: name, line, program_ratio, measure }: Denied | Minor): string {
  const at = line === null ? '' : `, line ${line}`;
  return `${title} in ${name}${at}, ${share(program_ratio)} of the work threads' ${TOTALS[measure]}`;
}

/** A pattern that a condition denied: its place, its share and the condition. */
export function deniedWords(denied: Denied): string {
  return `${placeAndShare(denied)}: denied, because ${denied.reason}`;
}

/** A pattern that is too small for a finding: its place, its share and the expected saving. */
export function minorWords(minor: Minor): string {
  const { expected } = minor;
  if (expected === null) return placeAndShare(minor);
  const range = interval(expected.program_low_ratio, expected.program_high_ratio);
  return `${placeAndShare(minor)}, expected saving ${range}`;
}

/** A list that ends with the number of elements that are not in it. */
export function withRest(texts: string[], leftOut: number): string[] {
  return leftOut === 0 ? texts : [...texts, `and ${leftOut} more`];
}

/** Titles of patterns that could not be checked, by the data that they need. */
export function missingData(findings: FindingsView): { needs: string; titles: string[] }[] {
  const byNeed = new Map<string, string[]>();
  for (const { needs, title } of findings.not_checked) byNeed.set(needs, [...(byNeed.get(needs) ?? []), title]);
  return [...byNeed].map(([needs, titles]) => ({ needs, titles }));
}

/** The metric that contains most of what a finding measures; null: the experiment's first one, which is CPU time. */
const METRICS: Record<Measure, string | null> = { cpu: null, elapsed: 'off_cpu', alloc_bytes: 'alloc_bytes' };

/**
 * Shows the samples of a finding in a view. `parts` is the filter that the findings were computed with, and `metrics` are the
 * names of the experiment's metrics.
 */
export function showIn(
  view: string,
  finding: Finding,
  { parts, metrics }: { readonly parts: readonly string[]; readonly metrics: readonly string[] },
): StateChange {
  const filter = parts.includes(finding.filter) ? [...parts] : [...parts, finding.filter];
  const selected = finding.calling.function;
  const metric = METRICS[finding.spent.measure];
  const shown = metric === null || metrics.includes(metric) ? { metric, columns: null, sort: null } : {};
  const base: StateChange = { view, filter, transforms: [], zoom: [], ...shown };
  if (view === 'flame-graph') return { ...base, mode: 'machine', search: '' };
  if (view === 'callers-callees') return { ...base, fragment: [selected], selected };
  return { ...base, selected };
}
