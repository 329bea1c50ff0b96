import { expect, test } from 'vitest';
import { change, proportion, quantity, scaled, scaledChange, scaleFor } from './compared';

test('a column has the unit of its total', () => {
  const perMessage = scaleFor(3210, 'nanoseconds');
  expect(perMessage).toEqual({ size: 1000, name: 'µs', digits: 3 });
  expect(scaled(32, perMessage)).toBe('0.032');
  expect(scaleFor(0.35, 'count')).toEqual({ size: 1, name: '', digits: 3 });
  expect(scaleFor(0, 'bytes').name).toBe('bytes');
  expect(scaled(951_234_567, scaleFor(951_234_567, 'nanoseconds'))).toBe('951.2');
});

test('changes have a sign, unless they round to nothing', () => {
  const scale = scaleFor(3210, 'nanoseconds');
  expect(scaledChange(310, scale)).toBe('+0.310');
  expect(scaledChange(-310, scale)).toBe('\u22120.310');
  expect(scaledChange(-0.1, scale)).toBe('0.000');
  expect(change(-310, 'nanoseconds')).toBe('\u2212310 ns');
  expect(change(0.25, 'count')).toBe('+0.25');
});

test.each([
  [100, 112, '+12 %'],
  [100, 95.9, '\u22124.1 %'],
  [1, 14, '×14.0'],
  [0, 3, 'new'],
  [3, 0, 'removed'],
  [0, 0, '0 %'],
  [100, 100.01, '0 %'],
  [1000, 3, '\u221299.7 %'],
  [1e9, 1, '\u221299.9 %'],
])('%d -> %d is %s', (baseline, candidate, words) => {
  expect(proportion(baseline, candidate)).toBe(words);
});

test('a value in a sentence has its unit', () => {
  expect(quantity(3210, 'nanoseconds')).toBe('3.21 µs');
  expect(quantity(0, 'nanoseconds')).toBe('0');
  expect(quantity(164e9, 'nanoseconds')).toBe('2 min 44 s');
  expect(change(-164e9, 'nanoseconds')).toBe('\u22122 min 44 s');
  expect(quantity(0.35, 'count')).toBe('0.35');
});
