// The state, as a Solid store that follows the URL; `navigate` is the only way to change it.
import { createStore, reconcile, unwrap } from 'solid-js/store';
import type { AppState } from './app_state';
import { type StateChange, changed } from './change';
import { decodeState, encodeState } from './codec';

export interface Navigation {
  /** Reactive; read only. */
  readonly state: AppState;
  /** Changes the state. Each change is a step that Back undoes, unless it replaces the present one. */
  navigate(change: StateChange, options?: { replace?: boolean }): void;
  /** The address of the state after a change, for links. */
  href(change: StateChange): string;
}

export function createNavigation(): Navigation {
  const [state, setState] = createStore<AppState>(decodeState(location.hash));
  const follow = () => setState(reconcile(decodeState(location.hash)));
  window.addEventListener('popstate', follow);
  window.addEventListener('hashchange', follow);
  const after = (change: StateChange) => changed(unwrap(state), change);
  return {
    state,
    href: (change) => encodeState(after({ ...change })),
    navigate(change, options = {}) {
      const next = after(change);
      const hash = encodeState(next);
      if (hash === encodeState(unwrap(state))) return;
      if (options.replace) history.replaceState(null, '', hash);
      else history.pushState(null, '', hash);
      // Through the codec, so that what a link restores is what is seen now.
      setState(reconcile(decodeState(hash)));
    },
  };
}
