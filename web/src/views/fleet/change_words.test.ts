import { expect, test } from 'vitest';
import { ALL_WORDS, amountWords, countWords, coverageWords, pairOf } from './change_words';

test('compares the selected versions, those of the answer, or the newest two', () => {
  const versions = ['1.3', '1.4', '1.5'];
  const none = { from: '', to: '' };
  expect(pairOf(versions, undefined, none)).toEqual(['1.4', '1.5']);
  expect(pairOf(versions, { from_version: '1.3', to_version: '1.4' }, none)).toEqual(['1.3', '1.4']);
  expect(pairOf(versions, undefined, { from: '1.3', to: '' })).toEqual(['1.3', '1.5']);
  // Versions of another service, or of another time range.
  expect(pairOf(versions, undefined, { from: '0.9', to: '2.0' })).toEqual(['1.4', '1.5']);
  expect(pairOf([], undefined, none)).toEqual([null, null]);
});

test('changes have plain words', () => {
  expect(ALL_WORDS.map((word) => countWords(word, 2))).toEqual([
    '2 regressions',
    '2 improvements',
    '2 moved',
    '2 went away',
    '2 unchanged',
    '2 not enough power',
  ]);
  expect(countWords('regressed', 1)).toBe('1 regression');
  expect(amountWords(0.0105, { measure: 'share' })).toBe('1.05 %');
  expect(amountWords(3210, { measure: 'per_unit' })).toBe('3.21 µs');
  expect(coverageWords({ question: { alpha_ratio: 0.01, margin_ratio: 0.05 } })).toBe('99 %');
  expect(coverageWords({ question: { alpha_ratio: 0.003, margin_ratio: 0.05 } })).toBe('99.7 %');
});
