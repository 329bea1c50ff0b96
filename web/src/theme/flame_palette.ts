// The colours of stacks, for flame graphs and stack charts.
import type { FlamePalette } from '../canvas/flame_painter';
import { appearance, token } from './appearance';
import { FRAME_INK, frameColour, MATCH_COLOUR } from './colours';

/** The palette of the present appearance. */
export function flamePalette(): FlamePalette {
  const look = appearance();
  return {
    fill: (kind) => frameColour(kind, look),
    text: FRAME_INK,
    paledText: token('--ink'),
    background: token('--paper'),
    joined: token('--paper-3'),
    joinedText: token('--ink-2'),
    match: MATCH_COLOUR[look],
    matchText: FRAME_INK,
    selected: token('--accent'),
    focus: token('--ink'),
  };
}
