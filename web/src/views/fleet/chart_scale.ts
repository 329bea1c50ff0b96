// Scales of charts over time: round marks, and positions of values. The functions are pure.
import type { Span } from './times';

/** A scale from 0 to a round number, with its marks. */
export interface ValueScale {
  readonly most: number;
  readonly marks: readonly number[];
}

const STEPS = [1, 2, 2.5, 5, 10];
const MARKS = 4;

/** The scale for a largest value, with about four marks above 0. */
export function valueScale(largest: number): ValueScale {
  if (!(largest > 0)) return { most: 1, marks: [0, 1] };
  const least = largest / MARKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((each) => each * power >= least * 0.999_999) ?? 10) * power;
  const count = Math.ceil(largest / step - 1e-9);
  const marks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { most: marks[count] ?? largest, marks };
}

const TIME_STEPS_S = [
  60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600, 2_592_000,
];
/** Smallest distance between marks, so that their texts do not touch. */
const PIXELS_PER_MARK = 64;

/** The times to mark below a chart of this width. They are round, counted from 1970-01-01 UTC. */
export function timeMarks({ from_s, to_s }: Span, width: number): number[] {
  if (to_s <= from_s || width <= 0) return [];
  const least_s = ((to_s - from_s) / width) * PIXELS_PER_MARK;
  const step_s = TIME_STEPS_S.find((step) => step >= least_s) ?? Math.ceil(least_s / 86_400) * 86_400;
  const marks: number[] = [];
  for (let mark = Math.ceil(from_s / step_s) * step_s; mark <= to_s; mark += step_s) marks.push(mark);
  return marks;
}

/** The width has `count` equal parts. Returns the index of the part that contains `x`. */
export function partAt(x: number, width: number, count: number): number {
  if (count <= 0 || width <= 0) return -1;
  return Math.max(0, Math.min(count - 1, Math.floor((x / width) * count)));
}
