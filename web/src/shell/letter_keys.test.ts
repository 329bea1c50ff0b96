import { afterEach, expect, test } from 'vitest';
import { hasLetterKeys, setLetterKeys, withholdsKey } from './letter_keys';

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});

afterEach(() => setLetterKeys(true));

test('all keys work until they are disabled', () => {
  expect(hasLetterKeys()).toBe(true);
  expect(withholdsKey(press('k'), false)).toBe(false);
});

test('only characters are withheld', () => {
  setLetterKeys(false);
  for (const key of ['k', '?', '/', '[', '1', 'N']) expect(withholdsKey(press(key), false)).toBe(true);
  for (const key of ['Enter', ' ', 'ArrowDown', 'Escape', 'Tab', 'Backspace'])
    expect(withholdsKey(press(key), false)).toBe(false);
  expect(withholdsKey(press('k'), true)).toBe(false);
  expect(withholdsKey(press('c', { ctrlKey: true }), false)).toBe(false);
});
