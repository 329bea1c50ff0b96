import { expect, it } from 'vitest';
import { indentOf } from './indent';

it('deep rows leave space for their names and show their level', () => {
  const indents = (nameWidth: number) => [0, 3, 7, 20, 60].map((depth) => indentOf(depth, nameWidth));
  expect(indents(286).map(({ indent }) => indent)).toEqual([0, 42, 42, 42, 42]);
  expect(indents(286).map(({ isDeep }) => isDeep)).toEqual([false, false, true, true, true]);
  expect(indents(776).map(({ indent }) => indent)).toEqual([0, 42, 98, 280, 364]);
  expect(indentOf(60, 2000)).toEqual({ indent: 476, isDeep: true });
});
