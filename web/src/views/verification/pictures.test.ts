import { describe, expect, test } from 'vitest';
import type { Run } from '../../engine/verification';
import { axisFor, pairsOf, placeOf, pointsOf, ticksOf } from './pictures';
import { verdictWords } from './verdict_words';

const interval = (low_ratio: number | null, ratio: number | null, high_ratio: number | null) => ({
  ratio,
  low_ratio,
  high_ratio,
});

describe('the axis of ratios', () => {
  test('includes every interval, no change and the margin, with space at its ends', () => {
    const axis = axisFor([interval(0.4, 0.45, 0.5), interval(0.97, 1.01, 1.08), interval(null, null, null)], 0.02);
    for (const ratio of [0.4, 0.98, 1, 1.02, 1.08]) {
      expect(placeOf(ratio, axis)).toBeGreaterThan(0);
      expect(placeOf(ratio, axis)).toBeLessThan(1);
    }
  });

  test('half and double are equally far from no change', () => {
    const axis = { low: 0.25, high: 4 };
    expect(placeOf(1, axis)).toBeCloseTo(0.5);
    expect(placeOf(0.5, axis)).toBeCloseTo(0.25);
    expect(placeOf(2, axis)).toBeCloseTo(0.75);
  });

  test('impossible values are at an end of the axis', () => {
    const axis = axisFor([interval(0, Number.NaN, Number.POSITIVE_INFINITY)], 0.02);
    expect(
      [0, Number.POSITIVE_INFINITY, Number.NaN, -1].every((ratio) => placeOf(ratio, axis) >= 0 && placeOf(ratio, axis) <= 1),
    ).toBe(true);
  });

  test('marks do not touch each other, and no change is one', () => {
    for (const axis of [
      { low: 0.9, high: 1.1 },
      { low: 0.05, high: 1.2 },
      { low: 0.99, high: 60 },
    ]) {
      const ticks = ticksOf(axis, 0.14);
      expect(ticks).toContain(1);
      expect(ticks.length).toBeGreaterThan(1);
      const places = ticks.map((tick) => placeOf(tick, axis));
      expect(Math.min(...places.slice(1).map((place, index) => place - places[index]!))).toBeGreaterThanOrEqual(0.14);
    }
  });
});

describe('runs as points', () => {
  const run = (side: 'baseline' | 'candidate', pair: number | null, order: number): Run => ({
    side,
    pair,
    order,
    is_profiled: false,
  });
  const runs = [run('baseline', 0, 0), run('candidate', 0, 1), run('candidate', 1, 2), run('baseline', 1, 3)];
  const figures = {
    baseline: {
      mean: 10,
      median: 10,
      values: [
        { run: 0, value: 10 },
        { run: 3, value: 8 },
      ],
    },
    candidate: {
      mean: 5,
      median: 5,
      values: [
        { run: 1, value: 5 },
        { run: 2, value: Number.NaN },
      ],
    },
  };

  test('are in time order, at the height of their value', () => {
    const { points, most } = pointsOf(figures, runs);
    expect(most).toBe(10);
    expect(points.map(({ side, y }) => [side, y])).toEqual([
      ['baseline', 0],
      ['candidate', 0.5],
      ['baseline', 0.19999999999999996],
    ]);
    expect(points.every(({ x }) => x > 0 && x < 1)).toBe(true);
  });

  test('are joined within their pair', () => {
    const pairs = pairsOf(pointsOf(figures, runs).points);
    expect(pairs.map(([left, right]) => [left.run, right.run])).toEqual([[0, 1]]);
  });

  test('without runs there are no points', () => {
    const none = { mean: null, median: null, values: [] };
    expect(pointsOf({ baseline: none, candidate: none }, [])).toEqual({ points: [], most: 0 });
  });
});

test('each verdict has its words', () => {
  expect(verdictWords({ word: 'no_relevant_change', is_looks_like: false })).toBe('no relevant change');
  expect(verdictWords({ word: 'worse', is_looks_like: true })).toBe('worse, may be due to chance');
  expect(verdictWords({ word: 'inconclusive', is_looks_like: true })).toBe('inconclusive');
});
