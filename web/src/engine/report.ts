// The engine in a report file: WebAssembly in a worker. Data and engine stand in the page, as gzip in base64.
import { type Answer, EngineError, errorOf } from './answer';
import { fromBase64 } from './base64';
import { decodeBinary } from './binary';
import type { Engine, ExperimentName } from './engine';
import { Queue } from './queue';
import type { Request } from './request';
import EngineWorker from './worker?worker&inline';
import type { FromWorker, ToWorker } from './worker';

export const EMBEDDED_ENGINE = 'whittle-engine';
const EMBEDDED_EXPERIMENT = 'whittle-experiment';

export class ReportEngine implements Engine {
  readonly kind = 'report';
  private readonly queue: Queue<string, Answer>;

  private constructor(private readonly worker: Worker) {
    this.queue = new Queue((request) => this.send(request));
  }

  static start(): ReportEngine {
    const worker: Worker = new EngineWorker();
    const engine = new ReportEngine(worker);
    const message: ToWorker = { kind: 'load', engine: take(EMBEDDED_ENGINE), experiment: take(EMBEDDED_EXPERIMENT) };
    worker.postMessage(message, [message.engine.buffer, message.experiment.buffer]);
    return engine;
  }

  ask(_experiment: number, request: Request, signal?: AbortSignal): Promise<Answer> {
    return this.queue.add(JSON.stringify(request), signal);
  }

  experiments(): Promise<ExperimentName[]> {
    return Promise.resolve([{ name: 'report', path: '', state: 'complete' }]);
  }

  private send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new EngineError(`the engine stopped: ${event.message}`, 'transport'));
      this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        try {
          resolve(answerOf(data));
        } catch (error) {
          reject(error instanceof Error ? error : new EngineError(String(error), 'transport'));
        }
      };
      const message: ToWorker = { kind: 'ask', request };
      this.worker.postMessage(message);
    });
  }
}

/** Takes an element's bytes, and the element away: its text is large. */
function take(id: string): Uint8Array<ArrayBuffer> {
  const element = document.getElementById(id);
  if (!element) return new Uint8Array();
  const bytes = fromBase64(element.textContent ?? '');
  element.remove();
  return bytes;
}

function answerOf(message: FromWorker): Answer {
  if (message.kind === 'failed') throw new EngineError(message.message, 'transport');
  if (message.kind === 'binary') return decodeBinary(message.bytes);
  const value: unknown = JSON.parse(new TextDecoder().decode(message.bytes));
  const error = errorOf(value);
  if (error) throw error;
  return { kind: 'json', value };
}
