import { expect, test } from 'vitest';
import { partAt, timeMarks, valueScale } from './chart_scale';

test.each([
  [0.121, [0, 0.05, 0.1, 0.15]],
  [0.2, [0, 0.05, 0.1, 0.15, 0.2]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [0.00031, [0, 0.0001, 0.0002, 0.0003, 0.0004]],
  [0.0099, [0, 0.0025, 0.005, 0.0075, 0.01]],
])('a scale for %d', (largest, marks) => {
  expect(valueScale(largest)).toEqual({ most: marks.at(-1), marks });
});

test('the scale includes every value, and is not much longer', () => {
  for (let value = 1e-6; value < 1; value *= 1.07) {
    const { most, marks } = valueScale(value);
    expect(most).toBeGreaterThanOrEqual(value * 0.999_999);
    expect(most).toBeLessThan(value * 1.7);
    expect(marks.length).toBeLessThanOrEqual(6);
  }
  expect(valueScale(0)).toEqual({ most: 1, marks: [0, 1] });
  expect(valueScale(Number.NaN).most).toBe(1);
});

test('marks are at round times and do not touch', () => {
  const hour = timeMarks({ from_s: 1000, to_s: 4600 }, 800);
  expect(hour).toEqual([1200, 1500, 1800, 2100, 2400, 2700, 3000, 3300, 3600, 3900, 4200, 4500]);
  const week = timeMarks({ from_s: 0, to_s: 7 * 86_400 }, 600);
  expect(week).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((day) => day * 86_400));
  expect(timeMarks({ from_s: 0, to_s: 0 }, 600)).toEqual([]);
  for (const width of [50, 300, 2000]) {
    const marks = timeMarks({ from_s: 12_345, to_s: 3_000_000 }, width);
    expect(marks.length).toBeLessThanOrEqual(width / 64 + 1);
  }
});

test('the part under the pointer', () => {
  expect([-5, 0, 99, 100, 399, 400, 900].map((x) => partAt(x, 400, 4))).toEqual([0, 0, 0, 1, 3, 3, 3]);
  expect(partAt(5, 0, 4)).toBe(-1);
});
