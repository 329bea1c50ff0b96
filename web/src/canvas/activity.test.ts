import { expect, it } from 'vitest';
import { mostThreads, roundMark } from './activity';

it('scales to the largest number of threads that are not hidden', () => {
  const activity = {
    ns: Float32Array.of(10, 25, 5, 20, 90, 0),
    fromNs: 0,
    binNs: 10,
    bins: 2,
    states: ['user', 'futex', 'idle'],
  };
  expect(mostThreads(activity, new Set(['idle']))).toBe(4.5);
  expect(mostThreads(activity, new Set(['idle', 'futex']))).toBe(2.5);
  expect(mostThreads(activity, new Set())).toBe(10.5);
});

it('marks a round number of threads', () => {
  expect([0.013, 0.31, 1, 4.5, 5, 222, 1999].map(roundMark)).toEqual([0.01, 0.2, 1, 2, 5, 200, 1000]);
});
