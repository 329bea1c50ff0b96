// The worker of a report file: unpacks and runs the engine, one request at a time.
import { fromDenseText } from './dense_text';
import { unlzma } from './lzma';

/** Engine, then experiment, then any number of requests. */
export type ToWorker =
  /** As it stands in the page. */
  | { kind: 'engine'; text: string }
  /** Packed as the engine reads it, not compressed. */
  | { kind: 'experiment'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'ask'; request: string };

export type FromWorker =
  | { kind: 'json' | 'binary'; bytes: ArrayBuffer }
  /** `needsExperiment`: the engine is lost, and the next one has to be given the experiment again. */
  | { kind: 'failed'; message: string; needsExperiment: boolean };

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

/** Kept, since an engine that has failed is started anew. */
let compiled: Promise<WebAssembly.Module> | undefined;
let running: Promise<Exports> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case 'engine':
      compiled = compile(data.text);
      // Reported with the first request.
      compiled.catch(() => undefined);
      return;
    case 'experiment':
      running = start(data.bytes);
      running.catch(() => undefined);
      return;
    case 'ask':
      void answer(data.request);
  }
};

async function compile(text: string): Promise<WebAssembly.Module> {
  if (text === '') throw new Error('the report holds no engine');
  return WebAssembly.compile(unlzma(fromDenseText(text)));
}

async function start(experiment: Uint8Array<ArrayBuffer>): Promise<Exports> {
  if (!compiled) throw new Error('the report holds no engine');
  const { exports } = await WebAssembly.instantiate(await compiled, {});
  const engine = exports as unknown as Exports;
  write(engine, experiment);
  if (engine.load() !== 0) throw new Error(new TextDecoder().decode(output(engine)));
  return engine;
}

async function answer(request: string): Promise<void> {
  try {
    if (!running) throw new Error('the report holds no engine');
    const engine = await running;
    const kind = run(engine, request);
    const bytes = output(engine);
    post({ kind: KINDS[kind] ?? 'json', bytes: bytes.buffer }, [bytes.buffer]);
  } catch (error) {
    const needsExperiment = running === undefined;
    post({
      kind: 'failed',
      needsExperiment,
      message: `the report's engine failed: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** After a trap the instance is lost, and its output says why; the next request gets a new one. */
function run(engine: Exports, request: string): number {
  try {
    write(engine, new TextEncoder().encode(request));
    return engine.answer();
  } catch (error) {
    running = undefined;
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
