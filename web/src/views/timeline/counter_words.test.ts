import { expect, test } from 'vitest';
import { amountOf, titleOfCounter } from './counter_words';

test('names of counters lose their units', () => {
  const names = ['class_loading_ns', 'gc_count', 'rss_bytes', 'machine_busy_ratio', 'documents_per_second'];
  expect(names.map(titleOfCounter)).toEqual([
    'class loading time',
    'gc count',
    'rss',
    'machine busy',
    'documents per second',
  ]);
});

test('growing figures are added up, of others the highest is told', () => {
  const values = Float32Array.of(Number.NaN, 0.25, 0.5, 0.25);
  expect(amountOf(values, 'count', true)).toBe('1 in all');
  expect(amountOf(values, 'ratio', false)).toBe('at most 50 %');
});
