import { expect, test } from 'vitest';
import { axisTop, titleOfCounter, totalOf, unitOf } from './counter_words';

test('names of counters lose their units', () => {
  const names = ['class_loading_ns', 'gc_count', 'rss_bytes', 'machine_busy_ratio', 'documents_per_second'];
  expect(names.map(titleOfCounter)).toEqual(['class loading time', 'gc count', 'rss', 'machine busy', 'documents per second']);
});

test('growing counters have an axis of their growth per second, and a total', () => {
  const values = Float32Array.of(Number.NaN, 0.25, 0.5, 0.25);
  expect(axisTop(values, 'count', true, 0.5e9)).toBe('1/s');
  expect(totalOf(values, 'count', true)).toBe('1 total');
});

test('other counters have an axis up to their highest value', () => {
  const values = Float32Array.of(0.25, 0.5);
  expect(axisTop(values, 'ratio', false, 0.5e9)).toBe('50 %');
  expect(totalOf(values, 'ratio', false)).toBeUndefined();
});

test('a counter without a known unit is a plain number', () => {
  expect(['nanoseconds', 'bytes', 'ratio', 'count', ''].map(unitOf)).toEqual(['nanoseconds', 'bytes', 'ratio', 'count', 'count']);
});
