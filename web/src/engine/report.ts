// The engine in a report file: WebAssembly in a worker. The page contains the data as gzip in base64, and the engine as
// LZMA in a denser encoding. The data comes last, so the worker unpacks the engine while the browser still reads the
// data.
import { type Answer, EngineError, errorOf } from './answer';
import { fromBase64 } from './base64';
import { decodeBinary } from './binary';
import type { Engine, ExperimentName } from './engine';
import { takeText } from './page_data';
import { Queue } from './queue';
import type { Request } from './request';
import type { FromWorker, ToWorker } from './worker';

const EMBEDDED_EXPERIMENT = 'whittle-experiment';

/** The starter of a report's page (`starter.ts`) sets this. It has already sent the engine to the worker. */
declare global {
  var whittleWorker: Worker | undefined;
}

export class ReportEngine implements Engine {
  readonly kind = 'report';
  private readonly queue: Queue<string, Answer>;
  /** Resolves when the worker has everything. */
  private loaded: Promise<void>;

  private constructor(
    private readonly worker: Worker,
    /** Compressed data. The browser keeps a blob outside of the page's memory. */
    private readonly experiment: Promise<Blob>,
  ) {
    this.queue = new Queue((request) => this.send(request));
    this.loaded = this.load();
  }

  static start(worker: Worker): ReportEngine {
    return new ReportEngine(
      worker,
      wholePage().then(() => new Blob([fromBase64(takeText(EMBEDDED_EXPERIMENT))])),
    );
  }

  /** Sends the experiment to the worker. */
  private load(): Promise<void> {
    const loaded = this.experiment.then(unpacked).then((bytes) => {
      post(this.worker, { kind: 'experiment', bytes }, [bytes.buffer]);
    });
    // The first request reports the error.
    loaded.catch(() => undefined);
    return loaded;
  }

  ask(_experiment: number, request: Request, signal?: AbortSignal): Promise<Answer> {
    return this.queue.add(JSON.stringify(request), signal);
  }

  experiments(): Promise<ExperimentName[]> {
    return Promise.resolve([{ name: 'report', path: '', state: 'complete' }]);
  }

  private async send(request: string): Promise<Answer> {
    await this.loaded;
    return new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new EngineError(`the engine stopped: ${event.message}`, 'transport'));
      this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === 'failed' && data.needsExperiment) this.loaded = this.load();
        try {
          resolve(answerOf(data));
        } catch (error) {
          reject(error instanceof Error ? error : new EngineError(String(error), 'transport'));
        }
      };
      post(this.worker, { kind: 'ask', request });
    });
  }
}

/** Resolves when the browser has read the page to its end. */
function wholePage(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}

async function unpacked(gzip: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const stream = gzip.stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function post(worker: Worker, message: ToWorker, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}

function answerOf(message: FromWorker): Answer {
  if (message.kind === 'failed') throw new EngineError(message.message, 'transport');
  if (message.kind === 'binary') return decodeBinary(message.bytes);
  const value: unknown = JSON.parse(new TextDecoder().decode(message.bytes));
  const error = errorOf(value);
  if (error) throw error;
  return { kind: 'json', value };
}
