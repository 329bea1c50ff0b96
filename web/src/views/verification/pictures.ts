// Computes positions in the pictures of a verification: ratios on an axis, runs as points. The functions are pure and
// do not round.

import type { Interval, Run, Side, SideFigures } from '../../engine/verification';
import { SIDES } from './side';

/**
 * A range of ratios, from left to right. The axis is logarithmic: half and double have the same distance from no
 * change.
 */
export interface RatioAxis {
  readonly low: number;
  readonly high: number;
}

/** Possible marks below the axis, as ratios. */
const TICKS = [
  0.001,
  0.003,
  0.01,
  0.02,
  0.05,
  0.1,
  0.2,
  1 / 3,
  0.5,
  0.7,
  0.8,
  0.9,
  0.95,
  0.98,
  1,
  1.02,
  1.05,
  1.1,
  1.2,
  1.5,
  2,
  3,
  5,
  10,
  20,
  50,
  100,
  1000,
];
/** Limits of the axis. The part of an interval beyond the limits is not shown. */
const LOWEST = 0.001;
const HIGHEST = 1000;
/** Share of the axis that stays free at each end. */
const FREE = 0.06;

/** An axis for all these intervals. It includes the margin and 1, which means no change. */
export function axisFor(intervals: readonly Interval[], marginRatio: number): RatioAxis {
  const ends = intervals.flatMap(({ ratio, low_ratio, high_ratio }) => [ratio, low_ratio, high_ratio]).filter(isRatio);
  const low = Math.max(LOWEST, Math.min(1 - 2 * marginRatio, ...ends));
  const high = Math.min(HIGHEST, Math.max(1 + 2 * marginRatio, ...ends));
  const free = (Math.log(high) - Math.log(low)) * FREE;
  return { low: Math.exp(Math.log(low) - free), high: Math.exp(Math.log(high) + free) };
}

/** The position of a ratio on the axis, 0 to 1. Ratios beyond the axis are at its end. */
export function placeOf(ratio: number, { low, high }: RatioAxis): number {
  const place = (Math.log(ratio) - Math.log(low)) / (Math.log(high) - Math.log(low));
  return Number.isFinite(place) ? Math.max(0, Math.min(1, place)) : ratio > 1 ? 1 : 0;
}

/**
 * The ratios that are written below the axis. Their distance is at least `apart`, a share of the axis. The ratio 1 (no
 * change) is always included.
 */
export function ticksOf(axis: RatioAxis, apart: number): number[] {
  const taken: number[] = [1];
  // Ticks far from "no change" come first, on both sides alternately, so that the marks on both sides are balanced.
  const inside = TICKS.filter((tick) => tick >= axis.low && tick <= axis.high);
  inside.sort((left, right) => Math.abs(Math.log(right)) - Math.abs(Math.log(left)));
  for (const tick of inside) {
    if (taken.every((other) => Math.abs(placeOf(tick, axis) - placeOf(other, axis)) >= apart)) taken.push(tick);
  }
  return taken.sort((left, right) => left - right);
}

export interface RunPoint {
  readonly side: Side;
  /** Position in time order, 0 to 1. */
  readonly x: number;
  /** 0 for the largest value, up to 1. */
  readonly y: number;
  readonly value: number;
  readonly run: number;
  readonly pair: number | null;
}

/** The runs of an endpoint in time order, and the range of their values. The range begins at 0. */
export function pointsOf(figures: Record<Side, SideFigures>, runs: readonly Run[]): { points: RunPoint[]; most: number } {
  const found = SIDES.flatMap((side) => figures[side].values.map(({ run, value }) => ({ side, run, value })));
  const timed = found
    .filter(({ value }) => Number.isFinite(value))
    .map((each) => ({ ...each, order: runs[each.run]?.order ?? each.run, pair: runs[each.run]?.pair ?? null }))
    .sort((left, right) => left.order - right.order);
  const most = Math.max(...timed.map(({ value }) => value), 0);
  const points = timed.map(({ side, value, run, pair }, index) => ({
    side,
    value,
    run,
    pair,
    x: (index + 0.5) / timed.length,
    y: most > 0 ? 1 - value / most : 1,
  }));
  return { points, most };
}

/** Lines between the two runs of each pair. */
export function pairsOf(points: readonly RunPoint[]): (readonly [RunPoint, RunPoint])[] {
  const pairs: (readonly [RunPoint, RunPoint])[] = [];
  for (const [index, point] of points.entries()) {
    if (point.pair === null) continue;
    const other = points.slice(index + 1).find((each) => each.pair === point.pair && each.side !== point.side);
    if (other) pairs.push([point, other]);
  }
  return pairs;
}

function isRatio(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value > 0;
}
