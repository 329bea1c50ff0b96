// Whether shortcuts of one character are enabled. Users of speech input, and users who often press keys by accident,
// can disable these shortcuts (WCAG 2.1.4). Arrow keys, Enter, Escape, Tab and the page's buttons still work.
import { createSignal } from 'solid-js';

const STORED = 'whittle.letter-keys';
const [isOn, setOn] = createSignal(stored());

/** Reactive. */
export function hasLetterKeys(): boolean {
  return isOn();
}

export function setLetterKeys(on: boolean): void {
  setOn(on);
  try {
    if (on) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, 'off');
  } catch {
    // Files opened from disk may have no storage. The setting then lasts until the page is closed.
  }
}

/** Whether to withhold a character from all listeners: shortcuts are disabled, and no field receives the character. */
export function withholdsKey(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>, isTyping: boolean): boolean {
  const isCharacter = event.key.length === 1 && event.key !== ' ';
  return !isOn() && isCharacter && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
}

function stored(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}
