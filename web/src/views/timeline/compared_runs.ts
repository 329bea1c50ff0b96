// What is requested of each run of a comparison for its timeline. The functions are pure.
import type { TimeRange } from '../../canvas/time_axis';
import type { EngineError } from '../../engine/answer';

const MISSING = /: no (pool|thread|request|file or peer|function)(?: is called| has the name)? (".*?")(?=[ ;,\n]|$)/;

/** Says that a run does not have what a filter names, if another run can have it. Undefined: the error has another reason. */
export function missingWords(error: EngineError): string | undefined {
  const [, what, name] = (error.kind === 'filter' && MISSING.exec(error.message)) || [];
  return what && `This run has no ${what} ${name}`;
}

/**
 * The time range and the bins to request of a run. A run that ends before the shown range ends has fewer bins, so a bin has
 * the same length in all runs. Null: the run has no part in the shown range.
 */
export function activityRange(
  shown: TimeRange & { readonly bins: number },
  durationNs: number,
): { from_ns: number; to_ns: number; bins: number } | null {
  const toNs = Math.min(shown.toNs, durationNs);
  if (shown.bins === 0 || toNs <= shown.fromNs) return null;
  const part = (toNs - shown.fromNs) / (shown.toNs - shown.fromNs);
  return { from_ns: shown.fromNs, to_ns: toNs, bins: Math.max(1, Math.round(shown.bins * part)) };
}
