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

/** The highest value, which is the top of the counter's axis. For a growing counter: its growth per second. */
export function axisTop(values: Float32Array, unit: DisplayUnit, isDifference: boolean, binNs: number): string {
  const most = values.reduce((most, value) => Math.max(value || 0, most), 0);
  return isDifference ? `${readable((most * 1e9) / binNs, unit)}/s` : readable(most, unit);
}

/** The total growth of a growing counter. Other counters have no total. */
export function totalOf(values: Float32Array, unit: DisplayUnit, isDifference: boolean): string | undefined {
  const sum = values.reduce((sum, value) => sum + (value || 0), 0);
  return isDifference ? `${readable(sum, unit)} total` : undefined;
}
