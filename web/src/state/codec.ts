// AppState <-> the URL's hash, `#/functions?m=machine&f=...`. Initial values are left out. Invalid text gives the
// initial state, so a damaged link still opens the page.
import type { Mode } from '../engine/request';
import { type AppState, INITIAL } from './app_state';

const MODES: readonly Mode[] = ['user', 'expert', 'machine'];
const OPTION = 'o.';
/** A longer note is cut, because it must not fill the page. */
export const MAX_NOTE_CHARS = 2000;

export function encodeState(state: AppState): string {
  const query = new URLSearchParams();
  const set = (key: string, value: string | null) => {
    if (value !== null && value !== '') query.append(key, value);
  };
  set('e', state.experiment === 0 ? null : String(state.experiment));
  set('m', state.mode === INITIAL.mode ? null : state.mode);
  set('metric', state.metric);
  set('columns', state.columns);
  set('sort', state.sort);
  for (const part of state.filter) set('f', part);
  for (const line of state.transforms) set('t', line);
  set('sel', state.selected);
  for (const name of state.fragment) set('c', name);
  set('z', state.zoom.join('.'));
  set('q', state.search);
  set('note', state.note);
  for (const key of Object.keys(state.options).sort()) set(OPTION + key, state.options[key] ?? null);
  const text = query.toString();
  return `#/${encodeURIComponent(state.view)}${text === '' ? '' : `?${text}`}`;
}

export function decodeState(hash: string): AppState {
  const [path = '', text = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?');
  const query = new URLSearchParams(text);
  const mode = query.get('m');
  return {
    view: decodeOr(path, INITIAL.view),
    experiment: count(query.get('e')) ?? 0,
    mode: MODES.find((each) => each === mode) ?? INITIAL.mode,
    metric: query.get('metric'),
    columns: query.get('columns'),
    sort: query.get('sort'),
    filter: filled(query.getAll('f')),
    transforms: filled(query.getAll('t')),
    selected: query.get('sel'),
    fragment: filled(query.getAll('c')),
    zoom: zoomOf(query.get('z')),
    search: query.get('q') ?? '',
    note: (query.get('note') ?? '').slice(0, MAX_NOTE_CHARS),
    options: optionsOf(query),
  };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decodeOr(path: string, otherwise: string): string {
  try {
    return decodeURIComponent(path) || otherwise;
  } catch {
    return otherwise;
  }
}

/** Numbers of experiments and nodes are u32. */
function count(text: string | null): number | undefined {
  if (text === null || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffff_ffff ? value : undefined;
}

function zoomOf(text: string | null): number[] {
  if (text === null) return [];
  const numbers = text.split('.').map((part) => count(part));
  return numbers.every((number) => number !== undefined) ? numbers : [];
}

function filled(texts: string[]): string[] {
  return texts.filter((text) => text !== '');
}

function optionsOf(query: URLSearchParams): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [key, value] of query) {
    if (key.startsWith(OPTION) && value !== '') options[key.slice(OPTION.length)] = value;
  }
  return options;
}
