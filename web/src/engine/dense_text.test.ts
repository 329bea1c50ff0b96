import { expect, test } from 'vitest';
import { fromDenseText } from './dense_text';

test('two characters are 13 bits', () => {
  // The test of what writes reports has the same text.
  expect([...fromDenseText('%nD_$#####')]).toEqual([...new TextEncoder().encode('\0asm\x01\0\0\0')]);
  expect(fromDenseText('')).toEqual(new Uint8Array());
});
