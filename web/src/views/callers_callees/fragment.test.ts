import { expect, test } from 'vitest';
import { added, centreChange, centred, isCentreChosen, removed } from './fragment';

test('a fragment grows and shrinks at its ends', () => {
  const centre = centred('B.g');
  const grown = added(added(centre, 'A.f', 'callers'), 'C.h', 'callees');
  expect(grown).toEqual(['A.f', 'B.g', 'C.h']);
  expect(removed(grown, 'callers')).toEqual(['B.g', 'C.h']);
  expect(removed(grown, 'callees')).toEqual(['A.f', 'B.g']);
  expect(removed([], 'callees')).toEqual([]);
});

test('without a fragment the centre is <Total>', () => {
  expect(centred('<Total>')).toEqual([]);
});

test('the view chooses a centre until the user chooses one, which can be <Total>', () => {
  expect(isCentreChosen({ fragment: [], options: {} })).toBe(false);
  expect(isCentreChosen({ fragment: ['B.g'], options: {} })).toBe(true);
  expect(centreChange({ options: {} }, ['A.f', 'B.g'])).toEqual({ fragment: ['A.f', 'B.g'], selected: 'B.g' });
  const total = centreChange({ options: { 'threads.group': 'pool' } }, []);
  expect(total.options).toEqual({ 'threads.group': 'pool', 'callers-callees.centre': 'total' });
  expect(isCentreChosen({ fragment: [], options: total.options ?? {} })).toBe(true);
});
