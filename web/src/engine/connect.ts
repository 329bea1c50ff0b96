// Which way to the engine there is: a report file brings its own, else a server is asked.
import type { Engine } from './engine';
import { HttpEngine } from './http';

const TOKEN = 'whittle.token';

export function connect(): Engine {
  return new HttpEngine(readToken());
}

/** The token that `whittle view` gave: in the page, or in the address it opened; kept for reloads in this tab. */
function readToken(): string {
  const inPage = document.querySelector('meta[name="whittle-token"]')?.getAttribute('content');
  const inAddress = new URLSearchParams(location.search).get('token');
  try {
    if (inAddress) sessionStorage.setItem(TOKEN, inAddress);
    return inPage ?? inAddress ?? sessionStorage.getItem(TOKEN) ?? '';
  } catch {
    return inPage ?? inAddress ?? '';
  }
}
