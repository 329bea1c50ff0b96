// What is written beside a counter's line.
import { readable } from '../../format/numbers';

/** Without its unit, which the amount has: `class_loading_ns` is class loading time, `machine_busy_ratio` machine busy. */
export function titleOfCounter(name: string): string {
  return name.replace(/_ns$/, ' time').replace(/_(bytes|ratio)$/, '').replace(/_/g, ' ');
}

/** What a growing figure grew by in all; of others the highest value, as the line's scale. */
export function amountOf(values: Float32Array, unit: string, isDifference: boolean): string {
  let [sum, most] = [0, 0];
  for (const value of values) {
    sum += value || 0;
    if (value > most) most = value;
  }
  return isDifference ? `${readable(sum, unit)} in all` : `at most ${readable(most, unit)}`;
}
