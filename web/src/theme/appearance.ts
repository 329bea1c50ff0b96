// Light or dark: what the system says, unless the user chose.
import { createSignal } from 'solid-js';
import type { Appearance } from './colours';

const STORED = 'whittle.appearance';
const system = window.matchMedia('(prefers-color-scheme: dark)');

const [chosen, setChosen] = createSignal<Appearance | null>(stored());
const [systemIsDark, setSystemIsDark] = createSignal(system.matches);
system.addEventListener('change', () => setSystemIsDark(system.matches));

/** Reactive; canvases draw anew when it changes. */
export function appearance(): Appearance {
  return chosen() ?? (systemIsDark() ? 'dark' : 'light');
}

export function toggleAppearance(): void {
  const next: Appearance = appearance() === 'dark' ? 'light' : 'dark';
  setChosen(next);
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // Files opened from disk may have no storage; the choice then holds until the page is closed.
  }
}

/** A token of the theme as it is now, such as `--paper`, for canvases. */
export function token(name: string): string {
  appearance();
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function stored(): Appearance | null {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}
