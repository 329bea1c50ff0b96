// The reactive state, which follows the URL. Only `navigate` changes it.
import { batch } from 'solid-js';
import type { AppState } from './app_state';
import { changed, type StateChange } from './change';
import { decodeState, encodeState } from './codec';
import { createKeyed } from './keyed';

export interface Navigation {
  /** Reactive: each key, and each option, is followed separately. It cannot be written. */
  readonly state: AppState;
  /** Changes the state. Each change is a step that Back undoes, unless it replaces the present step. */
  navigate(change: StateChange, options?: { replace?: boolean }): void;
  /** The address of the state after a change, for links. */
  href(change: StateChange): string;
}

export function createNavigation(): Navigation {
  let present = decodeState(location.hash);
  const [options, setOptions] = createKeyed(present.options);
  const [state, setState] = createKeyed<AppState>({ ...present, options });
  const address = createAddress();
  const show = (next: AppState) => {
    present = next;
    batch(() => {
      setOptions(next.options);
      setState({ ...next, options });
    });
  };
  const follow = () => {
    address.forget();
    show(decodeState(location.hash));
  };
  window.addEventListener('popstate', follow);
  window.addEventListener('hashchange', follow);
  return {
    state,
    // Reads the reactive state, so that links are updated with every change of the state.
    href: (change) => encodeState(changed(state, change)),
    navigate(change, options = {}) {
      const hash = encodeState(changed(present, change));
      if (hash === encodeState(present)) return;
      if (options.replace) address.replace(hash);
      else address.push(hash);
      // The state passes through the codec, so that a link restores exactly the same state.
      show(decodeState(hash));
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
