import { expect, test } from 'vitest';
import { toDenseText } from '../../build/dense_text';
import { fromDenseText } from './dense_text';

test('two characters are 13 bits', () => {
  // The test of the encoder has the same text.
  const [text, bytes] = ['%nD_$#####', new TextEncoder().encode('\0asm\x01\0\0\0')];
  expect([...fromDenseText(text)]).toEqual([...bytes]);
  expect(toDenseText(bytes)).toBe(text);
  expect(fromDenseText('')).toEqual(new Uint8Array());
});

test('any number of bytes can be decoded again', () => {
  for (let length = 0; length < 40; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => 255 - at * 37);
    const text = toDenseText(bytes);
    expect(text).not.toMatch(/[^#-~]|</);
    expect([...fromDenseText(text)]).toEqual([...bytes]);
  }
});
