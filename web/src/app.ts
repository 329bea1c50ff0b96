// What every view has at hand: the state, the engine, the selection, the details strip, the function menu.
import { type Accessor, createContext, useContext } from 'solid-js';
import type { BinaryAnswer } from './engine/answer';
import type { Engine, ExperimentName } from './engine/engine';
import type { CommonRequest, Request } from './engine/request';
import type { Experiment, MetricTotal } from './engine/shapes';
import type { Asked } from './engine/use_answer';
import type { AppState } from './state/app_state';
import type { StateChange } from './state/change';

/** What the strip at the bottom says. All texts are shown as they are, never as markup. */
export interface Details {
  /** The function's full name, or what else is pointed at. */
  name: string;
  /** Kind of function or frame, binary, thread ...: short words. */
  facts?: readonly string[];
  /** Values with their title: `['Inclusive CPU', '9.118 s (91.44 %)']`. */
  values?: readonly (readonly [title: string, value: string])[];
}

/** What a view offers to be exported; the shell shows the commands. */
export interface Export {
  /** The request whose text and CSV stand for the view. */
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
  /** Reactive: reading it in JSX or an effect follows it. */
  readonly state: AppState;
  navigate(change: StateChange, options?: { replace?: boolean }): void;
  href(change: StateChange): string;

  /** All that are open; the position is the experiment's number. */
  experiments: Accessor<readonly ExperimentName[]>;
  reloadExperiments(): Promise<void>;
  /** The verification that is open, as it was written; null: none. */
  verification: Accessor<unknown>;
  /** Whether the server has a fleet to choose from. */
  hasFleet: Accessor<boolean>;
  /** The loaded experiment; undefined until its answer is there. */
  experiment: Accessor<Experiment | undefined>;
  /** The metric of views with one metric, never null once the experiment is there. */
  metric: Accessor<MetricTotal | undefined>;
  /** Mode, filter and transforms of the state, for a request of `view`. */
  query(view: string): CommonRequest;
  ask<Value>(request: () => Request | null): Asked<Value>;
  askBinary<Header>(request: () => Request | null): Asked<BinaryAnswer<Header>>;

  /** Selects a function in all views (a step in the history is replaced, not added). */
  select(name: string | null): void;
  /** What the strip shows: what is pointed at, else the selected function. */
  details: Accessor<Details | null>;
  /** For pointing at something; null when the pointer has left. */
  showDetails(details: Details | null): void;
  /** Opens the menu of a function, at a place in the window. */
  openFunctionMenu(name: string, place: MenuPlace, facts?: { binary?: string | null; kind?: string }): void;
  /** Says something to screen readers and for some seconds at the bottom of the window. */
  say(text: string): void;
  /** The exports of the view that is shown; called by a view when it is set up. */
  offerExport(offer: Export): void;

  /** Adds a part to the filter: `thread = "main"`. A step that Back undoes. */
  addFilter(part: string): void;
  addTransform(line: string): void;
  /** Sets the time range that all views are filtered by, or removes it. */
  setTimeRange(range: { from_ns: number; to_ns: number } | null): void;
  timeRange: Accessor<{ from_ns: number; to_ns: number } | null>;
}

export const AppContext = createContext<App>();

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp is called outside the app');
  return app;
}
