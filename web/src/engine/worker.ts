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

/** What an engine is started from; kept, since an engine that has failed is started anew. */
interface Parts {
  module: WebAssembly.Module;
  /** The packed experiment. */
  experiment: Uint8Array<ArrayBuffer>;
}

let parts: Promise<Parts> | undefined;
let running: Promise<Exports> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'load') {
    parts = unpack(data.engine, data.experiment);
    running = parts.then(start);
    // Reported with the first request.
    running.catch(() => undefined);
  } else {
    void answer(data.request);
  }
};

async function unpack(engine: Uint8Array<ArrayBuffer>, experiment: Uint8Array<ArrayBuffer>): Promise<Parts> {
  const [code, packed] = await Promise.all([unpacked(engine), unpacked(experiment)]);
  return { module: await WebAssembly.compile(code), experiment: packed };
}

async function start({ module, experiment }: Parts): Promise<Exports> {
  const { exports } = await WebAssembly.instantiate(module, {});
  const engine = exports as unknown as Exports;
  write(engine, experiment);
  if (engine.load() !== 0) throw new Error(new TextDecoder().decode(output(engine)));
  return engine;
}

async function unpacked(gzip: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function answer(request: string): Promise<void> {
  try {
    if (!running) throw new Error('the report holds no engine');
    const engine = await running;
    const kind = run(engine, request);
    const bytes = output(engine);
    post({ kind: KINDS[kind] ?? 'json', bytes: bytes.buffer }, [bytes.buffer]);
  } catch (error) {
    post({ kind: 'failed', message: `the report's engine failed: ${error instanceof Error ? error.message : String(error)}` });
  }
}

/** After a trap the instance is lost, and its output says why; the next request gets a new one. */
function run(engine: Exports, request: string): number {
  try {
    write(engine, new TextEncoder().encode(request));
    return engine.answer();
  } catch (error) {
    running = parts?.then(start);
    running?.catch(() => undefined);
    throw new Error(new TextDecoder().decode(output(engine)) || String(error));
  }
}

function write(exports: Exports, bytes: Uint8Array): void {
  const pointer = exports.input(bytes.length) >>> 0;
  if (pointer === 0) throw new Error('there is not enough memory for this report');
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
