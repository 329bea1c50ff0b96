import { expect, test } from 'vitest';
import { fromBase64, slowly } from './base64';

test('both decoders give the bytes', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7) % 256);
  const text = Buffer.from(bytes).toString('base64');
  expect(slowly(text)).toEqual(bytes);
  expect(fromBase64(text)).toEqual(bytes);
  expect(slowly('')).toEqual(new Uint8Array());
});
