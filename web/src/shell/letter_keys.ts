// Whether keys of one character do anything. Who speaks to the computer, or hits keys by accident, can switch them off
// (WCAG 2.1.4); arrows, Enter, Escape, Tab and the buttons of the page do all the same.
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
    // Files opened from disk may have no storage; the choice then holds until the page is closed.
  }
}

/** Keeps characters from everybody who listens, where they are switched off and do not go into a field. */
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
