// The engine's interface for views: it answers requests. A server or a worker implements it.
import type { Answer } from './answer';
import type { Request } from './request';
import type { NoteChange, UserNote } from './user_notes';
import type { Verification } from './verification';

/** The sides of a comparison of open experiments, as their numbers. */
export interface ComparedNumbers {
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
}

export interface ExperimentName {
  name: string;
  path: string;
  state: string;
  /** Grows each time a live experiment is read again. */
  revision?: number;
  /** Number of the collection that is writing this experiment. */
  live?: number | null;
  /** The experiment contains the files of its program (`--keep-artefact`). */
  keeps_program?: boolean;
  /** The compared experiments; null if this is no comparison of open experiments. */
  sides?: ComparedNumbers | null;
}

/** What a report file shows first, and what is in it. */
export interface ReportOrder {
  /** The state with which the file opens, as in an address: `#/functions?...`. */
  at: string;
  /** Whether the file contains the sources of the hottest functions. */
  with_sources: boolean;
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
  /** A report file of an experiment, as HTML. Missing: this engine cannot make one. */
  report?(experiment: number, order: ReportOrder): Promise<string>;
  /** The user's notes about an experiment. Missing: this engine keeps no notes. */
  notes?(experiment: number): Promise<UserNote[]>;
  /** Changes the notes, and returns all of them. */
  changeNotes?(experiment: number, change: NoteChange): Promise<UserNote[]>;
}
