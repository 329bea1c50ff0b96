// The axis of a timeline: time to pixels and back, and where its marks stand. Pure.

/** A range of time and the pixels it is drawn on. */
export interface TimeAxis {
  readonly fromNs: number;
  readonly toNs: number;
  /** Pixels from `fromNs` to `toNs`. */
  readonly width: number;
}

/** A range of time in nanoseconds since the experiment's start; `toNs` is not in it. */
export interface TimeRange {
  readonly fromNs: number;
  readonly toNs: number;
}

export function timeToX(timeNs: number, axis: TimeAxis): number {
  const length = axis.toNs - axis.fromNs;
  return length > 0 ? ((timeNs - axis.fromNs) / length) * axis.width : 0;
}

/** The time at a pixel, kept inside the axis. */
export function xToTime(x: number, axis: TimeAxis): number {
  const ratio = axis.width > 0 ? Math.min(Math.max(x / axis.width, 0), 1) : 0;
  return Math.round(axis.fromNs + ratio * (axis.toNs - axis.fromNs));
}

/** The range between two pixels, in either order. */
export function rangeBetween(a: number, b: number, axis: TimeAxis): TimeRange {
  return { fromNs: xToTime(Math.min(a, b), axis), toNs: xToTime(Math.max(a, b), axis) };
}

/** Least pixels between two marks, so that their texts do not touch. */
const PIXELS_PER_MARK = 90;

/** Times at which marks stand: round numbers, as many as there is room for. */
export function axisMarks(axis: TimeAxis): number[] {
  const length = axis.toNs - axis.fromNs;
  if (length <= 0 || axis.width <= 0) return [];
  const step = roundStep((length * PIXELS_PER_MARK) / axis.width);
  const marks: number[] = [];
  for (let mark = Math.ceil(axis.fromNs / step) * step; mark <= axis.toNs; mark += step) marks.push(mark);
  return marks;
}

/** The smallest 1, 2 or 5 times a power of ten that is at least `wanted`. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10;
  return factor * power;
}
