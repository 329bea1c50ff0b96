// What is written beside a counter's line.
import { readable } from '../../format/numbers';

/** Ends of counters' names that stand for their unit, and what is said instead: the amount has the unit. */
const ENDS: readonly (readonly [string, string])[] = [
  ['_ns', ' time'],
  ['_bytes', ''],
  ['_ratio', ''],
];

/** `class_loading_ns` is class loading time, `machine_busy_ratio` machine busy. */
export function titleOfCounter(name: string): string {
  const [end, words] = ENDS.find(([end]) => name.endsWith(end)) ?? ['', ''];
  return (name.slice(0, name.length - end.length) + words).replace(/_/g, ' ');
}

/** What a growing figure grew by in all; of others the highest value, as the line's scale. */
export function amountOf(values: Float32Array, unit: string, isDifference: boolean): string {
  const known = values.filter((value) => !Number.isNaN(value));
  if (isDifference) return `${readable(known.reduce((sum, value) => sum + value, 0), unit)} in all`;
  return `at most ${readable(known.reduce((most, value) => Math.max(most, value), 0), unit)}`;
}
