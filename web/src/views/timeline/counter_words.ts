// The texts next to a counter's line.
import { type DisplayUnit, readable } from '../../format/numbers';

/**
 * The title of a counter without its unit, because the amount contains the unit: `class_loading_ns` is class loading
 * time, `machine_busy_ratio` is machine busy.
 */
export function titleOfCounter(name: string): string {
  return name
    .replace(/_ns$/, ' time')
    .replace(/_(bytes|ratio)$/, '')
    .replace(/_/g, ' ');
}

/** The unit of a counter, which the engine takes from its name. Other names mean a plain number. */
export function unitOf(text: string): DisplayUnit {
  return text === 'nanoseconds' || text === 'bytes' || text === 'ratio' ? text : 'count';
}

/** For a growing counter: its total growth. For other counters: the highest value, which is the scale of the line. */
export function amountOf(values: Float32Array, unit: DisplayUnit, isDifference: boolean): string {
  let [sum, most] = [0, 0];
  for (const value of values) {
    sum += value || 0;
    if (value > most) most = value;
  }
  return isDifference ? `${readable(sum, unit)} total` : `maximum ${readable(most, unit)}`;
}
