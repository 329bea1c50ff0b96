// Checks that text on the colours of changes is readable, and that directions can be distinguished without colour
// vision.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FRAME_INK } from '../theme/colours';
import { contrast, distance, VISION } from '../theme/seen_colours';
import { CHANGE_COLOURS } from './change_colours';

const THEME = readFileSync(join(import.meta.dirname, '../theme/theme.css'), 'utf8');

/** The value of a token in the style sheet. The light value comes first. */
function token(name: string, appearance: 'light' | 'dark'): string {
  const found = [...THEME.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map((match) => match[1] ?? '');
  return found[appearance === 'light' ? 0 : 1] ?? '';
}

describe.each(['light', 'dark'] as const)('colours of changes, %s', (appearance) => {
  const colours = CHANGE_COLOURS[appearance];

  test('text on every step has a contrast of at least 4.5', () => {
    const low = colours.filter((colour) => contrast(colour, FRAME_INK) < 4.5);
    expect(low).toEqual([]);
  });

  test('the text on bars has it too, and bars can be distinguished', () => {
    const [less, more] = [token('less', appearance), token('more', appearance)];
    for (const bar of [less, more]) expect(contrast(bar, token('ink', appearance))).toBeGreaterThanOrEqual(4.5);
    for (const vision of Object.values(VISION)) expect(distance(less, more, vision)).toBeGreaterThan(0.055);
  });

  test.each(Object.entries(VISION))('with %s cones, more is never taken for less, neither for neutral', (_, vision) => {
    const close: string[] = [];
    const check = (left: number, right: number, least: number) => {
      const apart = distance(colours[left]!, colours[right]!, vision);
      if (apart < least) close.push(`${left - 3} ${right - 3} ${apart.toFixed(3)}`);
    };
    for (const less of [0, 1, 2]) for (const more of [4, 5, 6]) check(less, more, 0.055);
    for (const step of [0, 1, 5, 6]) check(step, 3, 0.055);
    for (const step of [0, 1, 2, 3, 4, 5]) check(step, step + 1, 0.03);
    expect(close).toEqual([]);
  });
});
