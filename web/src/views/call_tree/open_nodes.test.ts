import { expect, it } from 'vitest';
import { OPEN_NOTHING, opened, readOpen, writeOpen } from './open_nodes';

it('writes open subtrees as a short text and reads them back', () => {
  const open = { expanded: [46, 83, 5 * 2 ** 32 + 7], collapsed: [3], hot: [] };
  expect(writeOpen(open)).toBe('1a.2b.9v5k9vr~3~');
  expect(readOpen(writeOpen(open))).toEqual(open);
  expect(writeOpen(OPEN_NOTHING)).toBe('');
});

it('ignores invalid text', () => {
  expect(readOpen('')).toEqual(OPEN_NOTHING);
  expect(readOpen('<script>.~~~x y')).toEqual(OPEN_NOTHING);
});

it('closing a branch forgets that it was opened', () => {
  const open = opened(OPEN_NOTHING, 7, true);
  expect(open.expanded).toEqual([7]);
  expect(opened(open, 7, false)).toEqual({ expanded: [], collapsed: [7], hot: [] });
});
