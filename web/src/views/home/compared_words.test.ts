import { describe, expect, test } from 'vitest';
import type { ComparedFinding, ComparedFindings, Comparison } from '../../engine/answers';
import { detailWords, findingLists, isOfBothSides, sharesWords } from './compared_words';

const comparison = (baseline: number, candidate: number): Comparison => {
  const side = (runs: number) => ({ name: 'a', runs, duration_ns: 1, cpu_ns: 1, units: null });
  return { baseline: side(baseline), candidate: side(candidate), per: { kind: 'run', words: 'per run' }, words: '' };
};
const GONE: ComparedFinding = {
  detector: 'unbuffered-write',
  title: 'Unbuffered write',
  function: 'a.Log.write(int)',
  place: 'Log.java:41',
  measure: 'cpu',
  baseline: { runs_count: 1, ratio: 0.84 },
  candidate: null,
  reason: null,
};
const NONE: ComparedFindings = {
  view: 'findings',
  comparison: comparison(1, 1),
  sentence: '',
  gone: [],
  new: [],
  same: [],
  uncertain: [],
  notes: [],
};

describe('findings of both sides', () => {
  test('have the shares of both sides', () => {
    expect(sharesWords(GONE, comparison(1, 1))).toBe('84 % → not found, of the CPU time');
    const small = { ...GONE, measure: 'elapsed' as const, candidate: { runs_count: 0, ratio: 0.004 } };
    expect(sharesWords(small, comparison(3, 2))).toBe('84 % in 1 of 3 runs → 0.4 % in 0 of 2 runs, of the elapsed time');
  });

  test('have a place and a reason if both are known', () => {
    expect(detailWords(GONE)).toBe('Log.java:41');
    expect(detailWords({ ...GONE, reason: 'the candidate was not checked' })).toBe('Log.java:41, the candidate was not checked');
    expect(detailWords({ ...GONE, place: null })).toBe('');
  });

  test('are in lists, and empty lists are left out', () => {
    expect(findingLists(NONE)).toEqual([]);
    expect(findingLists({ ...NONE, same: [GONE], gone: [GONE] }).map(({ title }) => title)).toEqual(['Gone', 'Same']);
    expect(isOfBothSides(NONE)).toBe(true);
  });
});
