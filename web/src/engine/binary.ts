// Decodes a binary answer: u32 header length (little endian), JSON header, then arrays, each padded to 8 bytes. The
// arrays are views of the buffer, so no data is copied.
import { type BinaryAnswer, EngineError, type TypedArray } from './answer';

const TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

interface ArrayPlace {
  name: string;
  type: keyof typeof TYPES;
  length: number;
}

const ALIGNMENT = 8;

export function decodeBinary(buffer: ArrayBuffer): BinaryAnswer {
  if (buffer.byteLength < 4) throw broken(`${buffer.byteLength} bytes are too few`);
  const headerLength = new DataView(buffer).getUint32(0, true);
  const start = 4 + headerLength;
  if (start > buffer.byteLength) throw broken(`the header ends at ${start}, the answer at ${buffer.byteLength}`);
  const header = parseHeader(new Uint8Array(buffer, 4, headerLength));
  return { kind: 'binary', header, arrays: arraysOf(buffer, start, header) };
}

function parseHeader(bytes: Uint8Array): { arrays: unknown } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw broken('the header is not JSON');
  }
  if (typeof header !== 'object' || header === null || !('arrays' in header)) throw broken('the header has no arrays');
  return header;
}

function arraysOf(buffer: ArrayBuffer, start: number, header: { arrays: unknown }): Record<string, TypedArray> {
  if (!Array.isArray(header.arrays)) throw broken('the header has no arrays');
  const arrays: Record<string, TypedArray> = {};
  const places: readonly ArrayPlace[] = header.arrays;
  let offset = start;
  for (const place of places) {
    const type = TYPES[place.type];
    if (type === undefined) throw broken(`array ${place.name} has the unknown type ${place.type}`);
    const byteLength = type.BYTES_PER_ELEMENT * place.length;
    if (!Number.isSafeInteger(place.length) || place.length < 0 || offset + byteLength > buffer.byteLength) {
      throw broken(`array ${place.name} of ${place.length} does not fit into the answer`);
    }
    arrays[place.name] = new type(buffer, offset, place.length);
    offset += Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
  }
  return arrays;
}

function broken(why: string): EngineError {
  return new EngineError(`the engine's answer cannot be read: ${why}`, 'transport');
}
