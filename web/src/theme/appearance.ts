// Light or dark: the system's setting, unless the user has changed it.
import { createSignal } from 'solid-js';
import type { Appearance } from './colours';

const STORED = 'whittle.appearance';
const system = window.matchMedia('(prefers-color-scheme: dark)');

let chosen = stored();
const [shown, setShown] = createSignal<Appearance>(present());
show();
system.addEventListener('change', show);

/** Reactive: canvases are redrawn when the appearance changes. */
export function appearance(): Appearance {
  return shown();
}

export function toggleAppearance(): void {
  chosen = shown() === 'dark' ? 'light' : 'dark';
  show();
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // Files opened from disk may have no storage. The setting then lasts until the page is closed.
  }
}

/** The current value of a token of the theme, such as `--paper`, for canvases. */
export function token(name: string): string {
  appearance();
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function present(): Appearance {
  return chosen ?? (system.matches ? 'dark' : 'light');
}

/** The style changes first, because effects of the signal read tokens. */
function show(): void {
  document.documentElement.dataset.appearance = present();
  setShown(present());
}

function stored(): Appearance | null {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}
