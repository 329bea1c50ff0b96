import { describe, expect, test } from 'vitest';
import type { Column, Part, Unit } from '../engine/answers';
import { fieldOf } from '../format/columns';
import { comparedMetrics } from '../state/column_choice';
import { comparedCells } from './compared_columns';
import { describeChanges, movedNotes, shortSide } from './words';

const PARTS: readonly Part[] = ['baseline', 'candidate', 'delta', 'ratio'];
const COLUMNS = PARTS.map(
  (part): Column => ({ flavour: 'exclusive', metric: 'cpu', title: 'CPU', unit: 'nanoseconds', is_percent: false, part }),
);
const values = (baseline: number, candidate: number) => ({
  exclusive_cpu_baseline: baseline,
  exclusive_cpu_candidate: candidate,
});
const TOTAL = values(4000, 2000);

describe('the cells of a row', () => {
  const shown = (baseline: number, candidate: number) =>
    comparedCells(COLUMNS, TOTAL, 'absolute').map((cell) => cell.text(values(baseline, candidate)));

  test('are both sides, the change and its proportion, in the unit of the total', () => {
    expect(comparedCells(COLUMNS, TOTAL, 'absolute').map((cell) => cell.title)).toEqual([
      'Baseline µs',
      'Candidate µs',
      'Change µs',
      'Change %',
    ]);
    expect(shown(3000, 1500)).toEqual(['3.000', '1.500', '\u22121.500', '\u221250 %']);
    expect(shown(0, 20)).toEqual(['0.000', '0.020', '+0.020', 'new']);
    expect(shown(20, 0)).toEqual(['0.020', '0.000', '\u22120.020', 'removed']);
  });

  test('of a row without values are empty', () => {
    expect(comparedCells(COLUMNS, undefined, 'absolute').map((cell) => cell.text({}))).toEqual([
      '0.000',
      '0.000',
      '0.000',
      '0 %',
    ]);
  });

  test('have a bar where the change is emphasised', () => {
    const bars = (by: 'absolute' | 'proportional') =>
      comparedCells(COLUMNS, TOTAL, by).map((cell) => cell.bar?.(values(3000, 1500)));
    expect(bars('absolute')).toEqual([undefined, undefined, -0.375, undefined]);
    expect(bars('proportional')).toEqual([undefined, undefined, undefined, -0.5]);
  });

  test('are sorted by their own words', () => {
    expect(comparedCells(COLUMNS, TOTAL, 'absolute').map((cell) => [cell.field, cell.sort])).toEqual(
      PARTS.map((part) => [`exclusive_cpu_${part}`, `e.cpu:${part}`]),
    );
  });
});

test('the strip shows both values, the difference and the proportion', () => {
  expect(describeChanges(COLUMNS, values(3210, 2900))).toEqual([
    ['Exclusive CPU', '3.21 µs → 2.90 µs (\u2212310 ns, \u22129.7 %)'],
  ]);
  expect(describeChanges(COLUMNS, values(0, 0))).toEqual([['Exclusive CPU', '0 → 0 (no change)']]);
});

test('columns chosen elsewhere lose their percent', () => {
  expect(comparedMetrics('e.cpu,e.cpu%,i.cpu%')).toBe('e.cpu,i.cpu');
});

test('many runs are named by the first', () => {
  const side = { name: 'a, b, c', runs: 3, duration_ns: 1, cpu_ns: 1, units: null };
  expect(shortSide(side)).toBe('a and 2 more');
  expect(shortSide({ ...side, name: 'a, b', runs: 2 })).toBe('a, b');
});

test('moved cost is separate from other notes', () => {
  expect(movedNotes(['40 ms moved from a to b', '2 samples are lost'])).toEqual({
    moved: ['40 ms moved from a to b'],
    others: ['2 samples are lost'],
  });
});

test('metrics that differ only in their unit are two metrics', () => {
  const column = (metric: string, unit: Unit): Column => ({
    flavour: 'plain',
    metric,
    title: '',
    unit,
    is_percent: false,
    part: 'delta',
  });
  expect([fieldOf(column('alloc_bytes', 'bytes')), fieldOf(column('alloc_count', 'count'))]).toEqual([
    'alloc_bytes_delta',
    'alloc_count_delta',
  ]);
});
