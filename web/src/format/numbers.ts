// The only place that rounds numbers for the screen. Table cells use the same rules as the CLI's text, so that the
// same figure looks the same; sentences use `readable`, which picks a unit.
import type { Unit } from '../engine/shapes';

const NANOSECONDS_PER_SECOND = 1e9;
const BYTES_PER_MEGABYTE = 1e6;

/** The unit of a column of cells, for its heading: `s`, `MB` or nothing. */
export function cellUnit(unit: Unit): string {
  if (unit === 'nanoseconds') return 's';
  if (unit === 'bytes') return 'MB';
  return '';
}

/** A value in its column's unit, without the unit: `9.118`. */
export function cell(value: number, unit: Unit): string {
  if (unit === 'nanoseconds') return (value / NANOSECONDS_PER_SECOND).toFixed(3);
  if (unit === 'bytes') return (value / BYTES_PER_MEGABYTE).toFixed(3);
  return Math.round(value).toFixed(0);
}

/** A share from 0 to 1 in percent, without the sign: `91.44`. */
export function percentCell(ratio: number): string {
  return (ratio * 100).toFixed(2);
}

/** `91.44 %` */
export function percent(ratio: number): string {
  return `${percentCell(ratio)} %`;
}

/** A share for a sentence: `91 %`, `0.4 %`. */
export function roughPercent(ratio: number): string {
  const value = ratio * 100;
  if (value !== 0 && Math.abs(value) < 9.95) return `${value.toFixed(1)} %`;
  return `${value.toFixed(0)} %`;
}

export const TIME_STEPS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const;

export const BYTE_STEPS = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
  [1, 'bytes'],
] as const;

/** A value with the unit that reads best: `9.97 s`, `766 ns`, `14.6 MB`, `6.98 million`. */
export function readable(value: number, unit: Unit): string {
  if (unit === 'ratio') return roughPercent(value);
  if (value === 0) return unit === 'count' ? '0' : `0 ${cellUnit(unit) || unit}`;
  if (unit === 'nanoseconds') return stepped(value, TIME_STEPS);
  if (unit === 'bytes') return stepped(value, BYTE_STEPS);
  return readableCount(value);
}

export function readableCount(value: number): string {
  if (Math.abs(value) >= 1e9) return `${significant(value / 1e9)} billion`;
  if (Math.abs(value) >= 1e6) return `${significant(value / 1e6)} million`;
  return grouped(value);
}

/** A whole number with thin spaces between thousands: `6 981 372`. */
export function grouped(value: number): string {
  return Math.round(value)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** A value in its cell's form with the unit: `9.118 s`. */
export function withUnit(value: number, unit: Unit): string {
  const name = cellUnit(unit);
  return name === '' ? cell(value, unit) : `${cell(value, unit)} ${name}`;
}

function stepped(value: number, steps: readonly (readonly [number, string])[]): string {
  const [size, name] = steps.find(([step]) => Math.abs(value) >= step) ?? steps[steps.length - 1]!;
  return `${significant(value / size)} ${name}`;
}

/** Three significant digits, without trailing zeros after the point being dropped: `9.97`, `14.6`, `766`. */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  return value === Math.round(value) ? value.toFixed(0) : value.toFixed(2);
}

/** A moment or span for the filter language, exact to the nanosecond: `1.25s`. */
export function seconds(ns: number): string {
  return `${trimZeros((ns / NANOSECONDS_PER_SECOND).toFixed(9))}s`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const AGE_STEPS = [
  [86_400e9, 'days'],
  [3600e9, 'h'],
  [60e9, 'min'],
] as const;

/** How long something has run: `12.0 s`, `3.3 min`, `2.0 h`. */
export function age(ns: number): string {
  const step = AGE_STEPS.find(([size]) => ns >= 2 * size);
  return step ? `${(ns / step[0]).toFixed(1)} ${step[1]}` : readable(ns, 'nanoseconds');
}

/** `1 caller`, `2 callers` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A mean: one digit after the point, as in `2.1`. */
export function mean(value: number): string {
  return value.toFixed(1);
}
