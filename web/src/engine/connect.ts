// Which way to the engine there is: a report file brings its own, else a server is asked.
import type { Engine } from './engine';
import { HttpEngine } from './http';
import { EMBEDDED_ENGINE, ReportEngine } from './report';

const TOKEN = 'whittle-token';

/** To be called before the state is read: the address that `whittle view` prints has the token where the state is. */
export function connect(): Engine {
  return document.getElementById(EMBEDDED_ENGINE) ? ReportEngine.start() : new HttpEngine(takeToken());
}

/** The token of the address that `whittle view` printed; kept for reloads in this tab, and taken out of the address. */
function takeToken(): string {
  const token = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, '', '#/');
  try {
    if (token !== undefined) sessionStorage.setItem(TOKEN, token);
    return token ?? sessionStorage.getItem(TOKEN) ?? '';
  } catch {
    return token ?? '';
  }
}
