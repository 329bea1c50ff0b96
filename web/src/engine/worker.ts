// The worker of a report file: unpacks and runs the engine, one request at a time.
import { fromDenseText } from './dense_text';
import { unlzma } from './lzma';

/** Messages to the worker: the engine, then the experiment, then any number of requests. */
export type ToWorker =
  /** The encoded text in the page. */
  | { kind: 'engine'; text: string }
  /** In the format that the engine reads, not compressed. */
  | { kind: 'experiment'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'ask'; request: string };

export type FromWorker =
  | { kind: 'json' | 'binary'; bytes: ArrayBuffer }
  /** `needsExperiment`: this engine cannot be used again. The next engine needs the experiment again. */
  | { kind: 'failed'; message: string; needsExperiment: boolean };

/** The exports of the engine. `input` returns the address for input. Output is at `output_pointer`. */
export interface EngineExports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  load(): number;
  answer(): number;
  output_pointer(): number;
  output_length(): number;
}

const KINDS = ['json', 'binary', 'json'] as const;

/** The compiled engine is kept, because a failed engine is started again. */
let compiled: Promise<WebAssembly.Module> | undefined;
let running: Promise<EngineExports> | undefined;

/** Starts the worker's work. Only a worker may call this. */
export function answerRequests(): void {
  self.onmessage = ({ data }: MessageEvent<ToWorker>) => handle(data);
}

function handle(message: ToWorker): void {
  switch (message.kind) {
    case 'engine':
      compiled = compile(message.text);
      // The first request reports the error.
      compiled.catch(() => undefined);
      return;
    case 'experiment':
      running = start(message.bytes);
      running.catch(() => undefined);
      return;
    case 'ask':
      void answer(message.request);
  }
}

async function compile(text: string): Promise<WebAssembly.Module> {
  if (text === '') throw new Error('the report file contains no engine');
  return WebAssembly.compile(unlzma(fromDenseText(text)));
}

async function start(experiment: Uint8Array<ArrayBuffer>): Promise<EngineExports> {
  if (!compiled) throw new Error('the report file contains no engine');
  const { exports } = await WebAssembly.instantiate(await compiled, {});
  const engine = exports as unknown as EngineExports;
  write(engine, experiment);
  if (engine.load() !== 0) throw new Error(new TextDecoder().decode(output(engine)));
  return engine;
}

async function answer(request: string): Promise<void> {
  try {
    if (!running) throw new Error('the report file contains no engine');
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

/**
 * After a trap, the instance cannot be used again, and its output contains the reason. The next request gets a new
 * instance.
 */
function run(engine: EngineExports, request: string): number {
  try {
    write(engine, new TextEncoder().encode(request));
    return engine.answer();
  } catch (error) {
    running = undefined;
    throw new Error(new TextDecoder().decode(output(engine)) || String(error));
  }
}

function write(exports: EngineExports, bytes: Uint8Array): void {
  const pointer = exports.input(bytes.length) >>> 0;
  if (pointer === 0) throw new Error('not enough memory for this report');
  // `input` may grow the memory. The memory then has a new buffer, so the code reads `buffer` after the call.
  new Uint8Array(exports.memory.buffer, pointer, bytes.length).set(bytes);
}

/** A copy, because the engine overwrites its output with the next answer. */
function output(exports: EngineExports): Uint8Array<ArrayBuffer> {
  const pointer = exports.output_pointer() >>> 0;
  const length = exports.output_length() >>> 0;
  return new Uint8Array(exports.memory.buffer, pointer, length).slice() as Uint8Array<ArrayBuffer>;
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(message, transfer);
}
