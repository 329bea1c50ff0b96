// Which way to the engine there is: a report file brings its own, else a server is asked.
import type { Engine } from './engine';
import { HttpEngine } from './http';
import { ReportEngine } from './report';

const TOKEN = 'whittle-token';
const IS_TOKEN = /^#token=([0-9a-f]+)(\/.*)?$/;

/** To be called before the state is read: the address that the program prints has the token where the state is, or before it. */
export function connect(): Engine {
  if (globalThis.whittleWorker) return ReportEngine.start(globalThis.whittleWorker);
  // The address of a new start, put into an open tab, changes nothing but the part behind the #.
  window.addEventListener('hashchange', () => {
    if (IS_TOKEN.test(location.hash)) {
      takeToken();
      location.reload();
    }
  });
  return new HttpEngine(takeToken());
}

/** The token of the address that was printed; kept for reloads in this tab, and taken out of the address. */
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
