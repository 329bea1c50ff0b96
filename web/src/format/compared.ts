// Formats numbers of comparisons. The numbers are per unit of work or per second, so they can have any size. Each
// column has one unit that fits its total. Changes have a sign, or a word if there is no ratio.
import type { Unit } from '../engine/answers';
import { BYTE_STEPS, longDuration, significant, TIME_STEPS } from './numbers';

/** The unit of a column. */
export interface Scale {
  readonly size: number;
  /** `µs`; empty for plain counts. */
  readonly name: string;
  readonly digits: number;
}

const COUNT_STEPS = [
  [1e9, 'billion'],
  [1e6, 'million'],
  [1e3, 'thousand'],
  [1, ''],
] as const;

const MINUS = '\u2212';
/** Larger growth is shown as a factor. */
const FACTOR_FROM = 10;

function stepsOf(unit: Unit): readonly (readonly [number, string])[] {
  if (unit === 'nanoseconds') return TIME_STEPS;
  return unit === 'bytes' ? BYTE_STEPS : COUNT_STEPS;
}

/** The unit that gives the largest value of a column one to three digits before the point. */
export function scaleFor(largest: number, unit: Unit): Scale {
  const steps = stepsOf(unit);
  const [size, name] = steps.find(([step]) => Math.abs(largest) >= step) ?? steps[steps.length - 1]!;
  const whole = Math.abs(largest) / size;
  return { size, name, digits: whole >= 100 ? 1 : whole >= 10 ? 2 : 3 };
}

export function scaled(value: number, { size, digits }: Scale): string {
  return withMinus((value / size).toFixed(digits));
}

/** `+0.31`, `−0.31`; no sign if it rounds to 0. */
export function scaledChange(delta: number, scale: Scale): string {
  const text = scaled(delta, scale);
  if (!/[1-9]/.test(text)) return text.replace(MINUS, '');
  return delta > 0 ? `+${text}` : text;
}

/** One value for a sentence: `3.21 µs`, `0.35`, `14.0 million`. */
export function quantity(value: number, unit: Unit): string {
  if (value === 0) return '0';
  const long = unit === 'nanoseconds' ? longDuration(value) : undefined;
  if (long !== undefined) return withMinus(long);
  const { size, name } = scaleFor(value, unit);
  return withMinus(`${significant(value / size)}${name === '' ? '' : ` ${name}`}`);
}

/** A change with its sign. */
export function change(delta: number, unit: Unit): string {
  return `${delta > 0 ? '+' : ''}${quantity(delta, unit)}`;
}

/** A change as a ratio: `+12 %`, `−4.1 %`, `×14`, `new`, `removed`, `0 %`. */
export function proportion(baseline: number, candidate: number): string {
  if (baseline <= 0) return candidate > 0 ? 'new' : '0 %';
  if (candidate <= 0) return 'removed';
  return ratioWords(candidate / baseline);
}

/** `+12 %` for 1.12. */
export function ratioWords(ratio: number): string {
  if (ratio >= FACTOR_FROM) return `×${significant(ratio)}`;
  // A small remaining cost must not look like a removed function, so the text is never below −99.9 %.
  const percent = Math.max((ratio - 1) * 100, ratio > 0 ? -99.9 : -100);
  const text = Math.abs(percent) < 9.95 || percent < -98.95 ? percent.toFixed(1) : percent.toFixed(0);
  if (!/[1-9]/.test(text)) return '0 %';
  return `${percent > 0 ? '+' : ''}${withMinus(text)} %`;
}

/** A limit of a scale: `8 %`, `0.5 %`. */
export function wholePercent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

function withMinus(text: string): string {
  return text.replace('-', MINUS);
}
