// Applies a change to a state, and resets the parts that are no longer valid.
import type { AppState } from './app_state';
import { withoutOpened } from './framework_frames';
import { isSame } from './same';

export type StateChange = Partial<AppState>;

/** These changes renumber the nodes of the tree, so a zoom is no longer valid. */
const RENUMBERING = ['experiment', 'mode', 'transforms'] as const;

/** Options that contain nodes. */
const NUMBERED = ['call-tree.open', 'sandwich.callers', 'sandwich.callees'];
/** Options that contain places in a flame graph of the selected function. */
const OF_SELECTED = ['sandwich.callers', 'sandwich.callees'];
/** Options that contain times of one experiment. */
const TIMED = ['timeline.from', 'timeline.to'];

/** The change after an experiment has grown: its nodes have new numbers. */
export function regrown(state: AppState): StateChange {
  return { zoom: [], options: withoutOpened(without(state.options, NUMBERED)) };
}

export function changed(state: AppState, change: StateChange): AppState {
  const next = { ...state, ...change };
  const isRenumbered = RENUMBERING.some((key) => key in change && !isSame(change[key], state[key]));
  if (isRenumbered && change.zoom === undefined) next.zoom = [];
  if (isRenumbered && change.options === undefined) next.options = withoutOpened(without(next.options, NUMBERED));
  // The note of a link is about the view of the link.
  const isOtherView = change.view !== undefined && change.view !== state.view;
  if (isOtherView && change.note === undefined) next.note = '';
  const isOtherFunction = change.selected !== undefined && change.selected !== state.selected;
  if (isOtherFunction && change.options === undefined) next.options = without(next.options, OF_SELECTED);
  if (change.experiment !== undefined && change.experiment !== state.experiment) forgetNames(next, change);
  return next;
}

/** Another experiment has other metrics. */
function forgetNames(next: AppState, change: StateChange): void {
  for (const key of ['metric', 'columns', 'sort'] as const) next[key] = change[key] ?? null;
  if (change.options === undefined) next.options = without(next.options, TIMED);
}

function without(options: AppState['options'], names: readonly string[]): AppState['options'] {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}
