// Colours the boxes of a flame graph by change, and writes the change before the name. The functions are pure, except
// that they read the palette.
import type { FlameBoxes } from '../canvas/flame_boxes';
import type { BoxChange } from '../canvas/flame_painter';
import type { Appearance } from '../theme/colours';
import { type ChangeBy, changeMark, changeStep, type Totals } from './change';
import { changeColour } from './change_colours';

/** Undefined if the answer does not have two sides, as for an ordinary experiment. */
export function changeOfBoxes(boxes: FlameBoxes, totals: Totals, by: ChangeBy, appearance: Appearance): BoxChange | undefined {
  const { baseline, candidate } = boxes.arrays;
  if (!baseline || !candidate) return undefined;
  const step = (box: number) => changeStep(baseline[box]!, candidate[box]!, by, totals);
  return {
    fill: (box) => changeColour(step(box), appearance),
    mark: (box) => changeMark(baseline[box]!, candidate[box]!, step(box)),
  };
}

/** The total cost of both sides. Until it is known, the values of the root's box. */
export function totalsOf(boxes: FlameBoxes, all: Totals | undefined): Totals {
  return all ?? { baseline: boxes.arrays.baseline?.[0] ?? 0, candidate: boxes.arrays.candidate?.[0] ?? 0 };
}
