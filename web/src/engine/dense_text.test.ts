import { expect, test } from 'vitest';
import { fromDenseText } from './dense_text';

const CHARACTERS = 91;
const BITS = 13;
const BITS_OF_ONE = 6;

/** Encodes bytes as `crates/cli/src/commands/report/dense_text.rs` does. */
function toDenseText(bytes: Uint8Array): string {
  const codes: number[] = [];
  const put = (number: number) => codes.push(number + (number < 25 ? 0x23 : 0x24));
  const putTwo = (number: number) => {
    put(Math.floor(number / CHARACTERS));
    put(number % CHARACTERS);
  };
  let [waiting, count] = [0, 0];
  for (const byte of bytes) {
    waiting |= byte << count;
    count += 8;
    if (count >= BITS) {
      putTwo(waiting & ((1 << BITS) - 1));
      waiting >>>= BITS;
      count -= BITS;
    }
  }
  if (count > BITS_OF_ONE) putTwo(waiting);
  else if (count > 0) put(waiting);
  return Buffer.from(codes).toString('latin1');
}

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
