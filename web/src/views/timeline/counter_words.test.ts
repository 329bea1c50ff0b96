import { expect, test } from 'vitest';
import { amountOf, titleOfCounter, unitOf } from './counter_words';

test('names of counters lose their units', () => {
  const names = ['class_loading_ns', 'gc_count', 'rss_bytes', 'machine_busy_ratio', 'documents_per_second'];
  expect(names.map(titleOfCounter)).toEqual(['class loading time', 'gc count', 'rss', 'machine busy', 'documents per second']);
});

test('growing counters show their growth, other counters their highest value', () => {
  const values = Float32Array.of(Number.NaN, 0.25, 0.5, 0.25);
  expect(amountOf(values, 'count', true)).toBe('1 total');
  expect(amountOf(values, 'ratio', false)).toBe('maximum 50 %');
});

test('a counter without a known unit is a plain number', () => {
  expect(['nanoseconds', 'bytes', 'ratio', 'count', ''].map(unitOf)).toEqual(['nanoseconds', 'bytes', 'ratio', 'count', 'count']);
});
