import { expect, test } from 'vitest';
import { millisInRun, timeInRun } from './times';

test('neighbouring times have different texts', () => {
  expect([12.34e9, 12.36e9].map((ns) => timeInRun(ns, 20e6))).toEqual(['12.34 s', '12.36 s']);
  expect(timeInRun(90e9, 2.4e9)).toBe('90 s');
  expect(timeInRun(1.5e9, 1e9)).toBe('1.5 s');
  expect(timeInRun(1, 1)).toBe('0.000000001 s');
  expect(timeInRun(5e9, 0)).toBe('5 s');
});

test('a time to the millisecond has three digits after the point', () => {
  expect([12.306e9, 5e9, 150.0004e9, 0].map(millisInRun)).toEqual(['12.306 s', '5.000 s', '150.000 s', '0 s']);
});
