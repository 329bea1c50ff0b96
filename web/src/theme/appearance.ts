// Light or dark: what the system says, unless the user chose.
import { createSignal } from 'solid-js';
import type { Appearance } from './colours';

const STORED = 'whittle.appearance';
const system = window.matchMedia('(prefers-color-scheme: dark)');

let chosen = stored();
const [shown, setShown] = createSignal<Appearance>(present());
show();
system.addEventListener('change', show);

/** Reactive; canvases draw anew when it changes. */
export function appearance(): Appearance {
  return shown();
}

export function toggleAppearance(): void {
  chosen = shown() === 'dark' ? 'light' : 'dark';
  show();
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // Files opened from disk may have no storage; the choice then holds until the page is closed.
  }
}

/** A token of the theme as it is now, such as `--paper`, for canvases. */
export function token(name: string): string {
  appearance();
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function present(): Appearance {
  return chosen ?? (system.matches ? 'dark' : 'light');
}

/** The style first: who follows the signal reads tokens. */
function show(): void {
  document.documentElement.dataset['appearance'] = present();
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
