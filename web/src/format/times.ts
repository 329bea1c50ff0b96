// Times in a run, with as many digits as neighbouring times need.
import { timeOnAxis } from './numbers';

/** `12.34 s`: seconds, with enough decimals to distinguish times that are `stepNs` apart. */
export function timeInRun(ns: number, stepNs: number): string {
  const needed = stepNs > 0 ? Math.ceil(-Math.log10(stepNs / 2e9)) : 0;
  return `${(ns / 1e9).toFixed(Math.min(Math.max(needed, 0), 9))} s`;
}

/** A time to the millisecond: `12.306 s`. */
export function millisInRun(ns: number): string {
  return timeOnAxis(ns, 1e6);
}
