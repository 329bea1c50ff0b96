// The only place that rounds numbers for the screen. Table cells follow the rules of the command line, so that a value
// looks the same on the page and in the terminal. Sentences use `readable`, which chooses a unit.
import type { Unit } from '../engine/answers';

/** Units of texts on the page. Shares are not a metric, so the engine has no unit for them. */
export type DisplayUnit = Unit | 'ratio';

const NANOSECONDS_PER_SECOND = 1e9;
const NANOSECONDS_PER_MILLISECOND = 1e6;
const BYTES_PER_MEGABYTE = 1e6;

/** The unit of a column of cells, for its heading: `s`, `MB` or nothing. */
export function cellUnit(unit: Unit): string {
  if (unit === 'nanoseconds') return 's';
  if (unit === 'bytes') return 'MB';
  return '';
}

/** A value in its column's unit, without the unit: `9.118`, and `12,345` of a count. */
export function cell(value: number, unit: Unit): string {
  if (unit === 'nanoseconds') return fixed(value / NANOSECONDS_PER_SECOND, 3);
  if (unit === 'bytes') return fixed(value / BYTES_PER_MEGABYTE, 3);
  return grouped(value);
}

/** Nanoseconds in milliseconds, without the unit: `4.487`. A dash if there is no value. */
export function millisCell(ns: number | null): string {
  return ns === null ? '–' : fixed(ns / NANOSECONDS_PER_MILLISECOND, 3).replace(/^-(0\.000)$/, '$1');
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

/** The part of something that is known: rounded down, so it is `100 %` only if nothing is unknown. */
export function knownPercent(ratio: number): string {
  return `${Math.floor(ratio * 100)} %`;
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

/** A value with the most readable unit: `9.97 s`, `766 ns`, `14.6 MB`, `6.98 million`. */
export function readable(value: number, unit: DisplayUnit): string {
  if (unit === 'ratio') return roughPercent(value);
  if (value === 0) return unit === 'count' ? '0' : `0 ${cellUnit(unit) || unit}`;
  if (unit === 'nanoseconds') return longDuration(value) ?? stepped(value, TIME_STEPS);
  if (unit === 'bytes') return stepped(value, BYTE_STEPS);
  return readableCount(value);
}

export function readableCount(value: number): string {
  if (Math.abs(value) >= 1e9) return `${significant(value / 1e9)} billion`;
  if (Math.abs(value) >= 1e6) return `${significant(value / 1e6)} million`;
  return grouped(value);
}

/** The form of all numbers: commas between thousands, `12,345.6`. */
export function fixed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** The form of all counts: a whole number, `6,981,372`. */
export function grouped(value: number): string {
  return fixed(Math.round(value), 0);
}

/** A value in the form of a cell, with the unit: `9.118 s`. Long durations are written as in sentences. */
export function withUnit(value: number, unit: Unit): string {
  const long = unit === 'nanoseconds' ? longDuration(value) : undefined;
  if (long !== undefined) return long;
  const name = cellUnit(unit);
  return name === '' ? cell(value, unit) : `${cell(value, unit)} ${name}`;
}

/**
 * Units of long durations, each with the next smaller unit and both sizes in seconds. A unit is used for durations of
 * at least two units.
 */
const LONG_STEPS = [
  [86_400, 'd', 3600, 'h'],
  [3600, 'h', 60, 'min'],
  [60, 'min', 1, 's'],
] as const;

/** `2 min 44 s`, `3 h 25 min`, `2 d 3 h`; undefined for less than 120 s. */
export function longDuration(ns: number): string | undefined {
  const seconds = Math.round(Math.abs(ns) / NANOSECONDS_PER_SECOND);
  for (const [size, name, smallSize, smallName] of LONG_STEPS) {
    if (seconds < 2 * size) continue;
    const count = Math.round(seconds / smallSize);
    const perUnit = size / smallSize;
    const rest = count % perUnit;
    const text = `${Math.floor(count / perUnit)} ${name}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
    return ns < 0 ? `-${text}` : text;
  }
  return undefined;
}

function stepped(value: number, steps: readonly (readonly [number, string])[]): string {
  // A value that rounds to 1,000 of a unit is 1.00 of the next unit.
  const [size, name] = steps.find(([step]) => Math.abs(value) >= step * 0.9995) ?? steps[steps.length - 1]!;
  return `${significant(value / size)} ${name}`;
}

/** Three significant digits. Zeros after the point stay: `9.97`, `14.6`, `766`. */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return fixed(value, 0);
  if (size >= 9.995) return value.toFixed(1);
  return value === Math.round(value) ? value.toFixed(0) : value.toFixed(2);
}

/** A time in the filter syntax, exact to the nanosecond: `1.25s`. */
export function seconds(ns: number): string {
  return `${trimZeros((ns / NANOSECONDS_PER_SECOND).toFixed(9))}s`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `1 caller`, `2 callers` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A mean: one digit after the point, as in `2.1`. */
export function mean(value: number): string {
  return fixed(value, 1);
}

/** `mean 2.1 bytes per call that moves bytes`, as in the terminal. Other calls, such as futex, do not count. */
export function meanOfTransfers(bytesPerCall: number): string {
  return `mean ${mean(bytesPerCall)} bytes per call that moves bytes`;
}

/** A time on an axis with all digits that distinguish it from its neighbours: `2 min 5 s`, `1.25 s`, `1,250.003 ms`. */
export function timeOnAxis(ns: number, stepNs: number): string {
  const minutes = Math.floor(ns / 60e9);
  if (ns === 0 || stepNs >= 60e9) return readable(ns, 'nanoseconds');
  if (stepNs >= 1e9 && minutes >= 2) return `${minutes} min ${Math.round(ns / 1e9) - minutes * 60} s`;
  const [size, name] = stepNs >= NANOSECONDS_PER_MILLISECOND ? [1e9, 's'] : [1e6, 'ms'];
  const digits = Math.max(Math.ceil(Math.log10(size / Math.max(stepNs, 1)) - 1e-9), 0);
  return `${fixed(ns / size, digits)} ${name}`;
}
