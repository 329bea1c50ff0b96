// Compares the WebAssembly engine with the native one: the same packed experiment and the same requests, byte for byte.
// A test of crates/wasm calls it: node engine_check.mjs ENGINE.wasm PACKED REQUESTS ANSWERS
//
// REQUESTS has one request per line. ANSWERS has for each request a byte (0 JSON, 1 bytes, 2 error), the length of the answer in
// 8 bytes, and the answer.
import { readFileSync } from 'node:fs';

const [engine = '', packed = '', requests = '', answers = ''] = process.argv.slice(2);
const start = performance.now();
const { instance } = await WebAssembly.instantiate(readFileSync(engine), {});
const engineMs = performance.now() - start;
/** @typedef {import('./src/engine/worker').EngineExports} EngineExports */
const { memory, input, load, answer, output_pointer, output_length } = /** @type {EngineExports} */ (
  /** @type {unknown} */ (instance.exports)
);

/** @param {Uint8Array} bytes */
function write(bytes) {
  const pointer = input(bytes.length) >>> 0;
  new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
}

function output() {
  return Buffer.from(new Uint8Array(memory.buffer, output_pointer() >>> 0, output_length() >>> 0));
}

const loadStart = performance.now();
write(readFileSync(packed));
if (load() !== 0) throw new Error(`load: ${output().toString()}`);
const loadMs = performance.now() - loadStart;

const expected = readFileSync(answers);
let position = 0;
let slowestMs = 0;
let count = 0;
for (const request of readFileSync(requests, 'utf8')
  .split('\n')
  .filter((line) => line !== '')) {
  const answerStart = performance.now();
  write(new TextEncoder().encode(request));
  const kind = answer();
  slowestMs = Math.max(slowestMs, performance.now() - answerStart);
  const length = Number(expected.readBigUInt64LE(position + 1));
  const wanted = expected.subarray(position + 9, position + 9 + length);
  if (kind !== expected[position] || !output().equals(wanted)) {
    console.error(
      `${request}\nnative, kind ${expected[position]}: ${wanted.subarray(0, 2000)}\nwasm, kind ${kind}: ${output().subarray(0, 2000)}`,
    );
    process.exit(1);
  }
  position += 9 + length;
  count += 1;
}
if (position !== expected.length) throw new Error('there are more answers than requests');
const megabytes = Math.round(memory.buffer.byteLength / 1e6);
console.log(
  `${count} answers are equal; engine ${engineMs.toFixed(0)} ms, load ${loadMs.toFixed(0)} ms, slowest answer ${slowestMs.toFixed(0)} ms, memory ${megabytes} MB`,
);
