// Boxes of a flame graph coloured by change, with the change in words before the name. Pure but for the palette.
import type { FlameBoxes } from '../canvas/flame_boxes';
import type { BoxChange } from '../canvas/flame_painter';
import type { Appearance } from '../theme/colours';
import { changeColour } from '../theme/change_colours';
import { type ChangeBy, type Totals, changeMark, changeStep } from './change';

/** Undefined if the answer has no sides: it is of an ordinary experiment. */
export function changeOfBoxes(boxes: FlameBoxes, totals: Totals, by: ChangeBy, appearance: Appearance): BoxChange | undefined {
  const { baseline, candidate } = boxes.arrays;
  if (!baseline || !candidate) return undefined;
  const step = (box: number) => changeStep(baseline[box]!, candidate[box]!, by, totals);
  return {
    fill: (box) => changeColour(step(box), appearance),
    mark: (box) => changeMark(baseline[box]!, candidate[box]!, step(box)),
  };
}

/** What all stacks cost on both sides; while that is not known, what the box at the root says. */
export function totalsOf(boxes: FlameBoxes, all: Totals | undefined): Totals {
  return all ?? { baseline: boxes.arrays.baseline?.[0] ?? 0, candidate: boxes.arrays.candidate?.[0] ?? 0 };
}
