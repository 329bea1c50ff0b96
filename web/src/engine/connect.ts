// Chooses the engine: a report file contains its own engine; any other page uses a server.
import type { Engine } from './engine';
import { HttpEngine } from './http';
import { ReportEngine } from './report';

const TOKEN = 'whittle-token';
const IS_TOKEN = /^#token=([0-9a-f]+)(\/.*)?$/;

/**
 * Call this before reading the state: the printed address contains the access token before the state, or instead of the
 * state.
 */
export function connect(): Engine {
  if (globalThis.whittleWorker) return ReportEngine.start(globalThis.whittleWorker);
  // If the user opens the address of a new start in an open tab, only the part behind the # changes.
  window.addEventListener('hashchange', () => {
    if (IS_TOKEN.test(location.hash)) {
      takeToken();
      location.reload();
    }
  });
  return new HttpEngine(takeToken());
}

/** The access token of the printed address. It is removed from the address and kept for reloads in this tab. */
function takeToken(): string {
  const [, token, state] = IS_TOKEN.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, '', `#${state ?? '/'}`);
  try {
    if (token !== undefined) sessionStorage.setItem(TOKEN, token);
    return token ?? sessionStorage.getItem(TOKEN) ?? '';
  } catch {
    return token ?? '';
  }
}
