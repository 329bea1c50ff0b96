import { expect, test } from 'vitest';
import { notesOfFunction, notesWithin, placeWords, showPlace } from './place';

const NOTES = [
  { id: 1, function: 'a.B.c()', text: 'one' },
  { id: 2, from_ns: 1e9, to_ns: 2e9, text: 'two' },
  { id: 3, text: 'three' },
];

test('a place is a function, a time range, both, or the experiment', () => {
  expect(NOTES.map(placeWords)).toEqual(['a.B.c()', '1s to 2s', 'the experiment']);
  expect(placeWords({ function: 'f', from_ns: 0, to_ns: 1.5e9 })).toBe('f, 0s to 1.5s');
});

test('the view of a place keeps other filters', () => {
  expect(showPlace({ function: 'f' }, ['thread = "main"'])).toEqual({ view: 'function', selected: 'f' });
  expect(showPlace({ from_ns: 0, to_ns: 1e9 }, ['thread = "main"', 'time in 5s..6s'])).toEqual({
    view: 'timeline',
    filter: ['thread = "main"', 'time in 0s..1s'],
  });
  expect(showPlace({}, [])).toBeNull();
});

test('notes of a function have its exact name', () => {
  expect(notesOfFunction(NOTES, 'a.B.c()').map(({ id }) => id)).toEqual([1]);
  expect(notesOfFunction(NOTES, 'a.B.c')).toEqual([]);
});

test('marks are within the shown range', () => {
  expect(notesWithin(NOTES, { fromNs: 0, toNs: 4e9 })).toEqual([{ note: NOTES[1], startRatio: 0.25, endRatio: 0.5 }]);
  expect(notesWithin(NOTES, { fromNs: 1.5e9, toNs: 1.75e9 })).toEqual([{ note: NOTES[1], startRatio: 0, endRatio: 1 }]);
  expect(notesWithin(NOTES, { fromNs: 3e9, toNs: 4e9 })).toEqual([]);
  expect(notesWithin(NOTES, { fromNs: 0, toNs: 0 })).toEqual([]);
});
