// The engine's interface for views: it answers requests. A server or a worker implements it.
import type { Answer } from './answer';
import type { Request } from './request';
import type { Verification } from './verification';

export interface ExperimentName {
  name: string;
  path: string;
  state: string;
  /** Grows each time a live experiment is read again. */
  revision?: number;
  /** Number of the collection that is writing this experiment. */
  live?: number | null;
}

export interface Engine {
  /** `server`: the experiments are on disk and may grow; `report`: this file contains everything. */
  readonly kind: 'server' | 'report';
  /**
   * Answers a request about experiment number `experiment`. Rejects with an `EngineError`, or with an `AbortError`
   * once `signal` is aborted.
   */
  ask(experiment: number, request: Request, signal?: AbortSignal): Promise<Answer>;
  experiments(): Promise<ExperimentName[]>;
  /** The output of `whittle verify`; null: the server has no verification. Missing: this engine never has one. */
  verification?(): Promise<Verification | null>;
  /** Prefixes of other addresses of this server, such as `/api/fleet/`. Missing: there are no other addresses. */
  others?(): Promise<string[]>;
}
