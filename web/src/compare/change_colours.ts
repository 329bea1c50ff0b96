// Colours of changes: blue is less than in the baseline, orange is more, grey is neutral. The tests check that text on
// all these colours is readable, and that people without red, green or blue cones can distinguish the directions.

import type { Appearance } from '../theme/colours';
import type { ChangeStep } from './change';

/** Colours of boxes by step from -3 to 3. Text on them is drawn in `FRAME_INK`. */
export const CHANGE_COLOURS: Readonly<Record<Appearance, readonly string[]>> = {
  light: ['#4592dc', '#82b9ee', '#bfdaf6', '#e0e1e6', '#fadbb4', '#f5b05f', '#e5801f'],
  dark: ['#58b4ff', '#6a9fdb', '#7b91b4', '#868890', '#ab8f74', '#d3924f', '#ff9a2c'],
};

export function changeColour(step: ChangeStep, appearance: Appearance): string {
  return CHANGE_COLOURS[appearance][step + 3]!;
}
