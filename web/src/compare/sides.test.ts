import { expect, test } from 'vitest';
import type { ExperimentName } from '../engine/engine';
import { comparable, firstSides, runsOf, swapped, withoutSides } from './sides';

const experiment = (name: string, more: Partial<ExperimentName> = {}): ExperimentName => ({
  name,
  path: `/x/${name}`,
  state: 'complete',
  ...more,
});
const A = experiment('a');
const B = experiment('b');
const COMPARISON = experiment('a → b', { path: '', sides: { baseline: [0], candidate: [1] } });

test('comparisons and growing experiments cannot be compared', () => {
  const growing = experiment('c', { live: 1, state: 'incomplete' });
  const killed = experiment('d', { state: 'incomplete' });
  expect(comparable([A, B, COMPARISON, growing, killed])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [4, 'd'],
  ]);
});

test('experiments with the same name have their path as title', () => {
  const other = experiment('a', { path: '/y/a' });
  expect(comparable([A, other, B]).map(([, title]) => title)).toEqual(['/x/a', '/y/a', 'b']);
});

test('the shown experiment is the candidate, and the sides of the shown comparison are kept', () => {
  expect(firstSides([A, B], 1)).toEqual({ baseline: [0], candidate: [1] });
  expect(firstSides([A, B], 0)).toEqual({ baseline: [0], candidate: [1] });
  expect(firstSides([A, B, COMPARISON], 2)).toEqual(COMPARISON.sides);
  expect(firstSides([A], 0)).toBeNull();
  expect(firstSides([], 0)).toBeNull();
});

test('the runs of both sides are listed, the baseline first', () => {
  const comparison = { name: 'a → b', path: '', state: 'complete', sides: { baseline: [1, 3], candidate: [2] } };
  expect(runsOf([comparison, experiment('a'), experiment('b'), experiment('c')], 0)).toEqual([
    { experiment: 1, side: 'Baseline', name: 'a' },
    { experiment: 3, side: 'Baseline', name: 'c' },
    { experiment: 2, side: 'Candidate', name: 'b' },
  ]);
  expect(runsOf([experiment('a')], 0)).toEqual([]);
  expect(runsOf([], 0)).toEqual([]);
});

test('swapping twice changes nothing', () => {
  const sides = { baseline: [0, 1], candidate: [2] };
  expect(swapped(sides)).toEqual({ baseline: [2], candidate: [0, 1] });
  expect(swapped(swapped(sides))).toEqual(sides);
});

test('a filter of a comparison loses its sides', () => {
  expect(withoutSides(['thread = "main"', 'side is baseline', 'not (side is candidate)'])).toEqual(['thread = "main"']);
});
