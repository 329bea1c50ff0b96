// Checks that text on frame colours is readable, and that neighbours can be distinguished without colour vision.
import { describe, expect, test } from 'vitest';
import { FRAME_INK, FRAME_KINDS, LINE_COLOURS, MATCH_COLOUR, WAIT_COLOUR } from './colours';
import { contrast, distance, VISION } from './seen_colours';

describe.each(['light', 'dark'] as const)('frame colours, %s', (appearance) => {
  const colours = [
    ...FRAME_KINDS.map((kind) => [kind.name, kind[appearance]] as const),
    ['match', MATCH_COLOUR[appearance]] as const,
    ['wait', WAIT_COLOUR[appearance]] as const,
  ];

  test.each(colours)('text on %s has a contrast of at least 4.5', (_, colour) => {
    expect(contrast(colour, FRAME_INK)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.entries(VISION))('with %s cones, all kinds of code are told apart', (_, vision) => {
    const close: string[] = [];
    for (const [index, [name, colour]] of colours.entries()) {
      for (const [other, otherColour] of colours.slice(index + 1)) {
        const apart = distance(colour, otherColour, vision);
        if (apart < 0.055) close.push(`${name} ${other} ${apart.toFixed(3)}`);
      }
    }
    expect(close).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('colours of lines, %s', (appearance) => {
  const colours = LINE_COLOURS[appearance];
  const paper = appearance === 'light' ? '#ffffff' : '#14171c';

  test.each(colours)('%s stands out from the paper', (colour) => {
    expect(contrast(colour, paper)).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(VISION))('with %s cones, all are told apart', (_, vision) => {
    const close = colours.flatMap((colour, index) =>
      colours
        .slice(index + 1)
        .filter((other) => distance(colour, other, vision) < 0.08)
        .map((other) => `${colour} ${other}`),
    );
    expect(close).toEqual([]);
  });
});
