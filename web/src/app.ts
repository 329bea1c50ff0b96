// The interface of the app that every view can use: the state, the engine, the selection, the details strip and the
// function menu.
import { type Accessor, createContext, useContext } from 'solid-js';
import type { ExperimentAnswer, MetricLine } from './engine/answers';
import type { Engine, ExperimentName } from './engine/engine';
import type { BinaryAnswers } from './engine/pictures';
import type { CommonRequest, JsonAnswers, Request, ViewName } from './engine/request';
import type { Asked } from './engine/use_answer';
import type { Verification } from './engine/verification';
import type { AppState } from './state/app_state';
import type { StateChange } from './state/change';
import type { UserNotes } from './user_notes/store';

/** The content of the strip at the bottom. All texts are shown as text, never as markup. */
export interface Details {
  /** The function's full name, or the name of the item under the pointer. */
  name: string;
  /** Short words: the kind of function or frame, the binary, the thread. */
  facts?: readonly string[];
  /** Values with their title: `['Inclusive CPU', '9.118 s (91.44 %)']`. */
  values?: readonly (readonly [title: string, value: string])[];
}

/** The exports of a view. The shell shows the commands. */
export interface Export {
  /** The request for the view as text and as CSV. */
  request?: () => Request | null;
  /** The picture, as SVG text. */
  svg?: () => string | Promise<string>;
  png?: () => Promise<Blob>;
}

export interface MenuPlace {
  x: number;
  y: number;
}

export interface App {
  readonly engine: Engine;
  /** Reactive: JSX and effects that read the state run again when it changes. */
  readonly state: AppState;
  navigate(change: StateChange, options?: { replace?: boolean }): void;
  href(change: StateChange): string;

  /** All open experiments. The position is the experiment's number. */
  experiments: Accessor<readonly ExperimentName[]>;
  reloadExperiments(): Promise<void>;
  /** The open verification, as `whittle verify` wrote it; null: there is no verification. */
  verification: Accessor<Verification | null | undefined>;
  /** Whether the server has a fleet. */
  hasFleet: Accessor<boolean>;
  /** Whether the server compares open experiments. */
  canCompare: Accessor<boolean>;
  /** The loaded experiment; undefined until its answer has arrived. */
  experiment: Accessor<ExperimentAnswer | undefined>;
  /** The metric of views with one metric. Never null after the experiment has loaded. */
  metric: Accessor<MetricLine | undefined>;
  /** Mode, filter and transforms of the state, for a request of `view`. */
  query<View extends ViewName>(view: View): CommonRequest<View>;
  /** Requests an answer. The request's `view` determines the type of the answer. */
  ask<View extends keyof JsonAnswers>(request: () => Request<View> | null): Asked<JsonAnswers[View]>;
  askBinary<View extends keyof BinaryAnswers>(request: () => Request<View> | null): Asked<BinaryAnswers[View]>;

  /** Selects a function in all views. The present step of the history is replaced, so no step is added. */
  select(name: string | null): void;
  /** The content of the strip: details of the item under the pointer, otherwise of the selected function. */
  details: Accessor<Details | null>;
  /** Shows details of the item under the pointer. Null after the pointer has left. */
  showDetails(details: Details | null): void;
  /** Opens the menu of a function at a place in the window. */
  openFunctionMenu(name: string, place: MenuPlace, facts?: { binary?: string | null; kind?: string }): void;
  /** Announces a text to screen readers, and shows the text for some seconds at the bottom of the window. */
  say(text: string): void;
  /** Announces a text to screen readers only: what it says is visible in the window anyway. */
  announce(text: string): void;
  /** Sets the exports of the shown view. A view calls this when it is set up. */
  offerExport(offer: Export): void;

  /** The user's notes about the shown experiment. */
  readonly userNotes: UserNotes;

  /** Adds a part to the filter, such as `thread = "main"`. Back undoes this step. */
  addFilter(part: string): void;
  addTransform(line: string): void;
  /** Sets or removes the time range by which all views are filtered. */
  setTimeRange(range: { from_ns: number; to_ns: number } | null): void;
  timeRange: Accessor<{ from_ns: number; to_ns: number } | null>;
}

export const AppContext = createContext<App>();

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp is called outside the app');
  return app;
}
