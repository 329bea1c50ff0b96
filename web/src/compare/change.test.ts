import { describe, expect, test } from 'vitest';
import { changeBar, changeMark, changeStep, presence } from './change';

const TOTALS = { baseline: 1000, candidate: 800 };

describe('the step of a change', () => {
  test.each([
    [100, 104, 'absolute', 0],
    [100, 105, 'absolute', 1],
    [100, 120, 'absolute', 2],
    [200, 100, 'absolute', -3],
    [0, 3, 'absolute', 0],
    [100, 104, 'proportional', 0],
    [100, 106, 'proportional', 1],
    [100, 125, 'proportional', 2],
    [1, 2, 'proportional', 3],
    [2, 1, 'proportional', -3],
    [0, 0.1, 'proportional', 3],
    [0.1, 0, 'proportional', -3],
    [5, 5, 'proportional', 0],
    [0, 0, 'absolute', 0],
    [Number.NaN, 1, 'absolute', 0],
  ] as const)('%d -> %d, %s: %d', (baseline, candidate, by, step) => {
    expect(changeStep(baseline, candidate, by, TOTALS) + 0).toBe(step);
  });

  test('is the same in both directions', () => {
    for (const factor of [1.01, 1.06, 1.3, 3]) {
      expect(changeStep(1, factor, 'proportional', TOTALS) + changeStep(factor, 1, 'proportional', TOTALS)).toBe(0);
    }
  });
});

test('bars stay within their half', () => {
  expect(changeBar(100, 200, 'absolute', TOTALS)).toBe(0.1);
  expect(changeBar(100, 200, 'proportional', TOTALS)).toBe(0.5);
  expect(changeBar(200, 100, 'proportional', TOTALS)).toBe(-0.5);
  expect(changeBar(0, 1, 'proportional', TOTALS)).toBe(1);
  expect(changeBar(1, 0, 'proportional', TOTALS)).toBe(-1);
  expect(changeBar(1, 1e9, 'absolute', TOTALS)).toBe(1);
  expect(changeBar(0, 0, 'absolute', { baseline: 0, candidate: 0 })).toBe(0);
});

test('a change has a sign and a word, not only a colour', () => {
  expect(changeMark(0, 5, 3)).toBe('+ new');
  expect(changeMark(5, 0, -3)).toBe('\u2212 removed');
  expect(changeMark(100, 88, -1)).toBe('\u221212 %');
  expect(changeMark(100, 101, 0)).toBe('');
  expect([presence(0, 1), presence(1, 0), presence(1, 1), presence(0, 0)]).toEqual(['new', 'removed', null, null]);
});
