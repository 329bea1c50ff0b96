// The worker of a report file: unpacks and runs the engine, one request at a time.

export type ToWorker =
  | { kind: 'load'; engine: Uint8Array<ArrayBuffer>; experiment: Uint8Array<ArrayBuffer> }
  | { kind: 'ask'; request: string };

export type FromWorker =
  | { kind: 'json' | 'binary'; bytes: ArrayBuffer }
  | { kind: 'failed'; message: string };

/** What the engine exports. Input is written to where `input` says; output is read where `output_pointer` says. */
interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  load(): number;
  answer(): number;
  output_pointer(): number;
  output_length(): number;
}

const KINDS = ['json', 'binary', 'json'] as const;

let engine: Promise<Exports> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'load') {
    engine = load(data.engine, data.experiment);
    // Reported with the first request.
    engine.catch(() => undefined);
  } else {
    void answer(data.request);
  }
};

async function load(code: Uint8Array<ArrayBuffer>, experiment: Uint8Array<ArrayBuffer>): Promise<Exports> {
  const [bytes, packed] = await Promise.all([unpacked(code), unpacked(experiment)]);
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const exports = instance.exports as unknown as Exports;
  write(exports, packed);
  if (exports.load() !== 0) throw new Error(new TextDecoder().decode(output(exports)));
  return exports;
}

async function unpacked(gzip: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function answer(request: string): Promise<void> {
  try {
    if (!engine) throw new Error('the report holds no engine');
    const exports = await engine;
    write(exports, new TextEncoder().encode(request));
    const kind = exports.answer();
    const bytes = output(exports);
    post({ kind: KINDS[kind] ?? 'json', bytes: bytes.buffer }, [bytes.buffer]);
  } catch (error) {
    post({ kind: 'failed', message: `the report's engine failed: ${error instanceof Error ? error.message : String(error)}` });
  }
}

function write(exports: Exports, bytes: Uint8Array): void {
  const pointer = exports.input(bytes.length) >>> 0;
  // The memory's buffer is another one after it has grown, so it is asked for after `input`.
  new Uint8Array(exports.memory.buffer, pointer, bytes.length).set(bytes);
}

/** A copy: the engine writes its next answer over this one. */
function output(exports: Exports): Uint8Array<ArrayBuffer> {
  const pointer = exports.output_pointer() >>> 0;
  const length = exports.output_length() >>> 0;
  return new Uint8Array(exports.memory.buffer, pointer, length).slice() as Uint8Array<ArrayBuffer>;
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(message, transfer);
}
