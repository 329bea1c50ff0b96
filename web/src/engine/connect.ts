// Chooses the engine: a report file contains its own engine; any other page uses a server.
import type { Engine } from './engine';
import { HttpEngine } from './http';
import { takeText } from './page_data';
import { ReportEngine } from './report';

const TOKEN = 'whittle-token';
/** What a new tab asks the others. Tokens are hexadecimal numbers, so this is none. */
const QUESTION = 'token?';
/** Other tabs answer within this time. Browsers slow down tabs in the background, but not their messages. */
const ANSWER_MS = 500;
const IS_TOKEN = /^#token=([0-9a-f]+)(\/.*)?$/;

/**
 * Call this before reading the state: the printed address contains the access token before the state, or instead of the
 * state.
 */
export function connect(): Engine {
  if (globalThis.whittleWorker) {
    // `whittle report --at` wrote the state with which the report opens.
    const at = takeText('whittle-at');
    if (at && !location.hash) history.replaceState(null, '', `#${at}`);
    return ReportEngine.start(globalThis.whittleWorker);
  }
  // If the user opens the address of a new start in an open tab, only the part behind the # changes.
  window.addEventListener('hashchange', () => {
    if (IS_TOKEN.test(location.hash)) {
      takeToken();
      location.reload();
    }
  });
  const token = takeToken();
  const known = token === '' ? tokenOfOtherTab().then(kept) : Promise.resolve(token);
  void known.then(tellOtherTabs);
  return new HttpEngine(known);
}

/** The access token of the printed address, or else the kept one. It is removed from the address. Empty if there is none. */
function takeToken(): string {
  const [, token, state] = IS_TOKEN.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, '', `#${state ?? '/'}`);
  try {
    return token === undefined ? (sessionStorage.getItem(TOKEN) ?? '') : kept(token);
  } catch {
    return '';
  }
}

/** Keeps the token for reloads in this tab, if the browser allows it. */
function kept(token: string): string {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // The token still works until the next reload.
  }
  return token;
}

/**
 * The token that another tab of this page knows: a link that is opened in a new tab or copied has no token. Only pages of
 * the same server can hear the question. Empty if no tab answers.
 */
function tokenOfOtherTab(): Promise<string> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(TOKEN);
    const finish = (token: string) => {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(() => finish(''), ANSWER_MS);
    channel.onmessage = ({ data }) => {
      if (typeof data === 'string' && data !== QUESTION) finish(data);
    };
    channel.postMessage(QUESTION);
  });
}

function tellOtherTabs(token: string): void {
  if (token === '') return;
  const channel = new BroadcastChannel(TOKEN);
  channel.onmessage = ({ data }) => {
    if (data === QUESTION) channel.postMessage(token);
  };
}
