// The state as a Solid store that follows the URL. Only `navigate` changes it.
import { createStore, reconcile, unwrap } from 'solid-js/store';
import type { AppState } from './app_state';
import { changed, type StateChange } from './change';
import { decodeState, encodeState } from './codec';

export interface Navigation {
  /** Reactive. Do not write to it. */
  readonly state: AppState;
  /** Changes the state. Each change is a step that Back undoes, unless it replaces the present step. */
  navigate(change: StateChange, options?: { replace?: boolean }): void;
  /** The address of the state after a change, for links. */
  href(change: StateChange): string;
}

export function createNavigation(): Navigation {
  const [state, setState] = createStore<AppState>(decodeState(location.hash));
  const address = createAddress();
  const follow = () => {
    address.forget();
    setState(reconcile(decodeState(location.hash)));
  };
  window.addEventListener('popstate', follow);
  window.addEventListener('hashchange', follow);
  const after = (change: StateChange) => changed(unwrap(state), change);
  return {
    state,
    // Reads the store itself instead of the wrapped object, so that links are updated with every change of the state.
    href: (change) => encodeState(changed(state, change)),
    navigate(change, options = {}) {
      const next = after(change);
      const hash = encodeState(next);
      if (hash === encodeState(unwrap(state))) return;
      if (options.replace) address.replace(hash);
      else address.push(hash);
      // The state passes through the codec, so that a link restores exactly the same state.
      setState(reconcile(decodeState(hash)));
    },
  };
}

/** Browsers allow about 20 changes of the address per second. A held arrow key causes more changes. */
const REPLACE_DELAY_MS = 150;

/** The browser's address. Replacements are written after a pause, steps immediately. */
function createAddress() {
  let waiting: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    clearTimeout(timer);
    waiting = undefined;
  };
  const write = () => {
    if (waiting !== undefined) history.replaceState(null, '', waiting);
    forget();
  };
  window.addEventListener('pagehide', write);
  return {
    forget,
    replace(hash: string) {
      forget();
      waiting = hash;
      timer = setTimeout(write, REPLACE_DELAY_MS);
    },
    push(hash: string) {
      write();
      history.pushState(null, '', hash);
    },
  };
}
