import { expect, test } from 'vitest';
import { fromDenseText } from './dense_text';

const CHARACTERS = 94n;
const GROUP_BYTES = 9;
const GROUP_CHARACTERS = 11;

/** Encodes bytes as `crates/cli/src/commands/report/dense_text.rs` does. */
function toDenseText(bytes: Uint8Array): string {
  const codes: number[] = [];
  for (let start = 0; start < bytes.length; start += GROUP_BYTES) {
    const group = bytes.subarray(start, start + GROUP_BYTES);
    let number = group.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
    const count = Math.ceil((group.length * GROUP_CHARACTERS) / GROUP_BYTES);
    for (let each = 0; each < count; each += 1) {
      const code = Number(number % CHARACTERS) + 0x20;
      codes.push(code < 0x3c ? code : code + 1);
      number /= CHARACTERS;
    }
  }
  return Buffer.from(codes).toString('latin1');
}

test('eleven characters are nine bytes', () => {
  // The test of the encoder has the same text.
  const [text, bytes] = ['{hpRo      )k\\(', new TextEncoder().encode('\0asm\x01\0\0\0\0asm')];
  expect([...fromDenseText(text)]).toEqual([...bytes]);
  expect(toDenseText(bytes)).toBe(text);
  expect(fromDenseText('')).toEqual(new Uint8Array());
});

test('any number of bytes can be decoded again', () => {
  for (let length = 0; length < 40; length += 1) {
    for (const bytes of [Uint8Array.from({ length }, (_, at) => 255 - at * 37), new Uint8Array(length).fill(255)]) {
      const text = toDenseText(bytes);
      expect(text).not.toMatch(/[^ -~]|</);
      expect([...fromDenseText(text)]).toEqual([...bytes]);
    }
  }
});
