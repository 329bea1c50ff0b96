// Costs of a fleet: cores with the digits of the command line, money per year in whole units. Money has no currency,
// because the user sets the price.
import { fixed, grouped, significant } from './numbers';

const MINUS = '\u2212';

/** `1.972` */
export function cores(value: number): string {
  return fixed(value, 3).replace('-', MINUS);
}

/** `1 020`; values below ten have two decimals. */
export function money(value: number): string {
  const size = Math.abs(value);
  const text = size < 9.995 && size !== Math.round(size) ? significant(size) : grouped(Math.round(size));
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** The text of a value, with a plus sign if the value is positive. */
export function gained(text: string): string {
  return text.startsWith(MINUS) || !/[1-9]/.test(text) ? text : `+${text}`;
}
