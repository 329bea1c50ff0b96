// How a change turns one state into the next, including what cannot stay as it was.
import type { AppState } from './app_state';

export type StateChange = Partial<AppState>;

/** Nodes of the tree are numbered anew with these, so a zoom means nothing afterwards. */
const RENUMBERING = ['experiment', 'mode', 'transforms'] as const;

export function changed(state: AppState, change: StateChange): AppState {
  const next = { ...state, ...change };
  const isRenumbered = RENUMBERING.some((key) => key in change && !isSame(change[key], state[key]));
  if (isRenumbered && change.zoom === undefined) next.zoom = [];
  if (change.experiment !== undefined && change.experiment !== state.experiment) forgetNames(next, change);
  return next;
}

/** Another experiment has other metrics. */
function forgetNames(next: AppState, change: StateChange): void {
  for (const key of ['metric', 'columns', 'sort'] as const) next[key] = change[key] ?? null;
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
