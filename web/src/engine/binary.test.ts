import { describe, expect, test } from 'vitest';
import { EngineError } from './answer';
import { decodeBinary } from './binary';

/** An answer as the engine writes it. */
function encoded(header: unknown, arrays: readonly (readonly number[] | ArrayBufferView)[]): ArrayBuffer {
  let text = JSON.stringify(header);
  while ((4 + new TextEncoder().encode(text).length) % 8 !== 0) text += ' ';
  const head = new TextEncoder().encode(text);
  const parts = arrays.map((array) => {
    const view = array as ArrayBufferView;
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
    padded.set(bytes);
    return padded;
  });
  const whole = new Uint8Array(4 + head.length + parts.reduce((sum, part) => sum + part.length, 0));
  new DataView(whole.buffer).setUint32(0, head.length, true);
  whole.set(head, 4);
  let offset = 4 + head.length;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole.buffer;
}

describe('a binary answer', () => {
  const header = {
    view: 'flame-graph',
    names: { '3': 'A.f(漢)' },
    arrays: [
      { name: 'node', type: 'u32', length: 3 },
      { name: 'x', type: 'f32', length: 1 },
      { name: 'kind', type: 'u8', length: 0 },
      { name: 'value', type: 'f64', length: 2 },
    ],
  };
  const buffer = encoded(header, [
    Uint32Array.of(1, 2, 4294967295),
    Float32Array.of(0.5),
    new Uint8Array(),
    Float64Array.of(1.5, Number.NaN),
  ]);

  test('becomes a header and typed arrays over the same buffer', () => {
    const answer = decodeBinary(buffer);
    expect(answer.header).toMatchObject({ view: 'flame-graph', names: { '3': 'A.f(漢)' } });
    expect(answer.arrays.node).toEqual(Uint32Array.of(1, 2, 4294967295));
    expect(answer.arrays.x).toEqual(Float32Array.of(0.5));
    expect(answer.arrays.kind).toEqual(new Uint8Array());
    expect(answer.arrays.value).toEqual(Float64Array.of(1.5, Number.NaN));
    expect(answer.arrays.value?.buffer).toBe(buffer);
  });

  test('truncated anywhere is an error, never a wrong array', () => {
    for (let length = 0; length < buffer.byteLength; length += 1) {
      expect(() => decodeBinary(buffer.slice(0, length))).toThrow(EngineError);
    }
  });

  test.each([
    [{ name: 'x', type: 'i128', length: 1 }, 'unknown type'],
    [{ name: 'x', type: 'u32', length: -1 }, 'does not fit'],
    [{ name: 'x', type: 'u32', length: 1e12 }, 'does not fit'],
    [{ name: 'x', type: 'u32', length: 'many' }, 'does not fit'],
  ])('with the array %o is refused', (array, why) => {
    expect(() => decodeBinary(encoded({ arrays: [array] }, [Uint32Array.of(1)]))).toThrow(why);
  });

  test('without arrays in its header is refused', () => {
    expect(() => decodeBinary(encoded({}, []))).toThrow('the header has no arrays');
    expect(() => decodeBinary(encoded({ arrays: 3 }, []))).toThrow('the header has no arrays');
  });
});
