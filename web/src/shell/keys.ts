// Keys that work everywhere. Views handle their own keys on the focused element, and stop the key events there.
import type { App } from '../app';
import { changeBy, comparisonOf, setChangeBy } from '../compare/use_comparison';
import { focusView } from '../parts/focus_view';
import { entering, isOffered } from '../view';
import { VIEWS } from '../views/registry';
import { withholdsKey } from './letter_keys';

export interface GlobalKeys {
  app: App;
  openHelp(): void;
  closeAll(): boolean;
}

/** The keys of all views, for the help. The code below handles these keys. */
export const GLOBAL_KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['?', 'Open this help'],
  ['/', 'Search in the view, or find a function'],
  ['k', 'Find a function'],
  ['f', 'Add a filter or a transform'],
  ['m', 'Menu of the selected function'],
  ['c', 'Choose the columns of tables'],
  ['1 2 3', 'Mode: user, expert, machine'],
  ['x', 'In comparisons: highlight absolute or proportional changes'],
  ['[ ]', 'Back and forward. Back undoes every change'],
  ['Escape', 'Close the open dialog, then clear the search, then the selection'],
  ['Tab', 'Next part of the page. Arrows move within tables, trees and graphs'],
];

const PREFIX_MS = 1500;
const MODES = { 1: 'user', 2: 'expert', 3: 'machine' } as const;

export function listenForKeys(keys: GlobalKeys): () => void {
  let prefixUntil = 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    if (event.target instanceof Element && event.target.closest('[role="menu"]')) return;
    // An open dialog handles its keys, even if none of its elements has the focus.
    if (document.querySelector('dialog[open]')) return;
    if (event.key === 'g') {
      prefixUntil = event.timeStamp + PREFIX_MS;
    } else if (!act(keys, event.key)) {
      return;
    }
    event.preventDefault();
  };
  // This listener runs in the capture phase, because the key after `g` must not reach a view, and a disabled key must
  // not reach any listener.
  const onSecondKey = (event: KeyboardEvent) => {
    if (withholdsKey(event, isTyping(event.target))) event.stopImmediatePropagation();
    if (event.timeStamp >= prefixUntil || event.key === 'Shift') return;
    prefixUntil = 0;
    if (isTyping(event.target)) return;
    goTo(keys.app, event.key);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', onSecondKey, { capture: true });
  document.addEventListener('keydown', onKeyDown);
  return () => {
    window.removeEventListener('keydown', onSecondKey, { capture: true });
    document.removeEventListener('keydown', onKeyDown);
  };
}

function goTo(app: App, key: string): void {
  const view = VIEWS.find((each) => each.key === key);
  if (!view || !isOffered(view, app)) return;
  app.navigate(entering(view, app.state));
  app.announce(view.title);
  queueMicrotask(() => {
    document.getElementById('view')?.focus();
    focusView();
  });
}

function act(keys: GlobalKeys, key: string): boolean {
  const { app } = keys;
  if (key === '?') keys.openHelp();
  else if (key === '/') focusSearch();
  else if (key === 'k') document.getElementById('find-function')?.focus();
  else if (key === 'f') document.getElementById('filter-box')?.focus();
  else if (key === 'c') document.querySelector<HTMLElement>('[data-columns]')?.click();
  else if (key === 'm') openMenu(app);
  else if (key === 'x' && comparisonOf(app)) setChangeBy(app, changeBy(app) === 'absolute' ? 'proportional' : 'absolute');
  else if (key === '[') history.back();
  else if (key === ']') history.forward();
  else if (key === '1' || key === '2' || key === '3') app.navigate({ mode: MODES[key] });
  else if (key === 'Escape') clear(keys);
  else return false;
  return true;
}

function focusSearch(): void {
  const search = document.querySelector<HTMLElement>('#view [data-search]') ?? document.getElementById('find-function');
  search?.focus();
}

function openMenu(app: App): void {
  if (app.state.selected === null) return;
  app.openFunctionMenu(app.state.selected, { x: window.innerWidth / 2 - 144, y: window.innerHeight / 3 });
}

function clear(keys: GlobalKeys): void {
  const { app } = keys;
  if (keys.closeAll()) return;
  if (app.state.search !== '') app.navigate({ search: '' });
  else if (app.state.selected !== null) app.select(null);
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
