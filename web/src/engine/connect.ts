// Which way to the engine there is: a report file brings its own, else a server is asked.
import type { Engine } from './engine';
import { HttpEngine } from './http';
import { EMBEDDED_ENGINE, ReportEngine } from './report';

const TOKEN = 'whittle-token';
const IS_TOKEN = /^#token=([0-9a-f]+)$/;

/** To be called before the state is read: the address that `whittle view` prints has the token where the state is. */
export function connect(): Engine {
  if (document.getElementById(EMBEDDED_ENGINE)) return ReportEngine.start();
  // The address of a new start, put into an open tab, changes nothing but the part behind the #.
  window.addEventListener('hashchange', () => {
    if (IS_TOKEN.test(location.hash)) {
      takeToken();
      location.reload();
    }
  });
  return new HttpEngine(takeToken());
}

/** The token of the address that `whittle view` printed; kept for reloads in this tab, and taken out of the address. */
function takeToken(): string {
  const token = IS_TOKEN.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, '', '#/');
  try {
    if (token !== undefined) sessionStorage.setItem(TOKEN, token);
    return token ?? sessionStorage.getItem(TOKEN) ?? '';
  } catch {
    return token ?? '';
  }
}
