import { expect, test } from 'vitest';
import type { SyscallFigures } from '../../engine/answers';
import { callColumns, callSort, callValues } from './compared';

const FIGURES: SyscallFigures = {
  calls_count: 3,
  errors_count: 0,
  bytes: 30,
  bytes_per_call: 10,
  duration_ns: 5000,
  p50_latency_ns: null,
  p99_latency_ns: null,
  longest_ns: 2000,
  sampled_count: 1,
  is_estimate: false,
};

test('each measure has four columns, and changes sort', () => {
  expect(callColumns().map((column) => [column.metric, column.part, callSort(column)])).toEqual([
    ['calls_count', 'baseline', undefined],
    ['calls_count', 'candidate', undefined],
    ['calls_count', 'delta', 'calls'],
    ['calls_count', 'ratio', undefined],
    ['duration_ns', 'baseline', undefined],
    ['duration_ns', 'candidate', undefined],
    ['duration_ns', 'delta', 'time'],
    ['duration_ns', 'ratio', undefined],
  ]);
});

test('a side without calls has no values', () => {
  expect(callValues({ baseline: FIGURES, candidate: null })).toEqual({ calls_count_baseline: 3, duration_ns_baseline: 5000 });
  expect(callValues({ baseline: null, candidate: null })).toEqual({});
});
