import { expect, test } from 'vitest';
import { added, centred, removed } from './fragment';

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
