// What opens at exactly the shown view: a link, and command lines.
import { shellCommand } from '../format/shell';
import type { AppState } from '../state/app_state';
import { encodeState } from '../state/codec';

export interface ShareTexts {
  /** Opens where the analyzer runs. It has no access token. */
  link: string;
  /** Opens on any machine with the experiment; null: the experiment is not a directory. */
  view: string | null;
  /** Writes a report file that opens at the view; null: the experiment is not a directory. */
  report: string | null;
}

/** `page`: the address of the page without the part after `#`. `path`: the experiment's directory; empty: there is none. */
export function shareTexts(state: AppState, note: string, from: { page: string; path: string }): ShareTexts {
  const noted = { ...state, note: note.trim() };
  const link = `${from.page}${encodeState(noted)}`;
  if (from.path === '') return { link, view: null, report: null };
  const [at, name] = [stateAlone(state, note), fileName(from.path)];
  return {
    link,
    view: shellCommand(['whittle', 'view', name, '--at', at]),
    report: shellCommand(['whittle', 'report', from.path, '-o', reportName(from.path), '--at', at]),
  };
}

/** The state for a page with one experiment, which has the number 0. */
export function stateAlone(state: AppState, note: string): string {
  return encodeState({ ...state, experiment: 0, note: note.trim() });
}

/** `app.html` for the experiment `/x/app.whittle`. */
export function reportName(path: string): string {
  return `${fileName(path).replace(/\.whittle$/, '')}.html`;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
