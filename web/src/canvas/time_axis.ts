// The axis of a timeline: conversion between time and pixels, and positions of marks. The functions are pure.

/** A range of time and its width in pixels. */
export interface TimeAxis {
  readonly fromNs: number;
  readonly toNs: number;
  /** Number of pixels from `fromNs` to `toNs`. */
  readonly width: number;
}

/** A range of time in nanoseconds since the experiment's start; `toNs` is exclusive. */
export interface TimeRange {
  readonly fromNs: number;
  readonly toNs: number;
}

export function timeToX(timeNs: number, axis: TimeAxis): number {
  const length = axis.toNs - axis.fromNs;
  return length > 0 ? ((timeNs - axis.fromNs) / length) * axis.width : 0;
}

/** The time at a pixel, limited to the axis. */
export function xToTime(x: number, axis: TimeAxis): number {
  const ratio = axis.width > 0 ? Math.min(Math.max(x / axis.width, 0), 1) : 0;
  return Math.round(axis.fromNs + ratio * (axis.toNs - axis.fromNs));
}

/** The range between two pixels, in either order. */
export function rangeBetween(a: number, b: number, axis: TimeAxis): TimeRange {
  return { fromNs: xToTime(Math.min(a, b), axis), toNs: xToTime(Math.max(a, b), axis) };
}

/** Smallest distance of two marks in pixels, so that their texts do not touch. */
const PIXELS_PER_MARK = 90;

/** The time between two marks: a round number. */
export function axisStep(axis: TimeAxis): number {
  return roundStep(((axis.toNs - axis.fromNs) * PIXELS_PER_MARK) / axis.width);
}

/** The times that the axis marks: as many round numbers as there is space for. */
export function axisMarks(axis: TimeAxis): number[] {
  if (axis.toNs <= axis.fromNs || axis.width <= 0) return [];
  const step = axisStep(axis);
  const marks: number[] = [];
  for (let mark = Math.ceil(axis.fromNs / step) * step; mark <= axis.toNs; mark += step) marks.push(mark);
  return marks;
}

/** Steps of minutes and hours, in nanoseconds. Times from 120 s on are written in these units. */
const LONG_STEPS = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400].map((seconds) => seconds * 1e9);
const LONGEST_SHORT_STEP = 50e9;

/** The smallest round step that is at least `wanted`: 1, 2 or 5 times a power of ten, or whole minutes or hours. */
function roundStep(wanted: number): number {
  if (wanted > LONGEST_SHORT_STEP) return LONG_STEPS.find((step) => step >= wanted) ?? wanted;
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10;
  return factor * power;
}
