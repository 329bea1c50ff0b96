import { expect, it } from 'vitest';
import { indentOf } from './indent';

it('deep rows leave space for their names and show their level', () => {
  const indents = (nameWidth: number) => [0, 3, 7, 20, 60].map((depth) => indentOf(depth, nameWidth));
  expect(indents(286).map(({ indent }) => indent)).toEqual([0, 42, 98, 98, 98]);
  expect(indents(286).map(({ isDeep }) => isDeep)).toEqual([false, false, false, true, true]);
  expect(indents(1000).map(({ indent }) => indent)).toEqual([0, 42, 98, 280, 350]);
  expect(indentOf(5, 0)).toEqual({ indent: 28, isDeep: true });
});
