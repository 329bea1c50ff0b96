// Checks that the steps of heat maps are in order for everyone, and that a little differs from nothing.
import { describe, expect, test } from 'vitest';
import { HEAT_COLOURS, HEAT_STEPS } from './heat_colours';
import { contrast, distance, VISION } from './seen_colours';

describe.each(['light', 'dark'] as const)('heat maps, %s', (appearance) => {
  const colours = HEAT_COLOURS[appearance];
  const paper = appearance === 'light' ? '#ffffff' : '#14171c';

  test('each step contrasts more with the paper than the step before', () => {
    const contrasts = colours.map((colour) => contrast(colour, paper));
    expect(contrasts).toEqual([...contrasts].sort((a, b) => a - b));
    expect(colours).toHaveLength(HEAT_STEPS);
  });

  test.each(Object.entries(VISION))('with %s cones, neighbours and the paper are told apart', (_, vision) => {
    const distances = colours.map((colour, step) => distance(step === 0 ? paper : colours[step - 1]!, colour, vision));
    expect(Math.min(...distances)).toBeGreaterThan(0.05);
  });
});
