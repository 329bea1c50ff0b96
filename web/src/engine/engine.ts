// The engine as the views see it: asked with a request, it answers. Behind it is a server or a worker.
import type { Answer } from './answer';
import type { Request } from './request';

export interface ExperimentName {
  name: string;
  path: string;
  state: string;
  /** Grows each time a live experiment was read again. */
  revision?: number;
  /** The collection that writes it now. */
  live?: number | null;
}

export interface Engine {
  /** `server`: the experiments are on disk and may grow; `report`: all is in this file. */
  readonly kind: 'server' | 'report';
  /**
   * Answers a request about experiment number `experiment`. Rejects with an `EngineError`, or with an `AbortError`
   * once `signal` is aborted.
   */
  ask(experiment: number, request: Request, signal?: AbortSignal): Promise<Answer>;
  experiments(): Promise<ExperimentName[]>;
  /** What `whittle verify` wrote, if the server was given it; null: none. Missing: there can be none. */
  verification?(): Promise<unknown>;
  /** Starts of addresses that the server answers besides its own, such as `/api/fleet/`. Missing: there can be none. */
  others?(): Promise<string[]>;
}
