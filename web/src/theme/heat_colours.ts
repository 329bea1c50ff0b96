// Colours of heat maps, from a little to the most. The lightness changes in one direction, so people without red, green or
// blue cones see the order. A cell without a value has the colour of the paper, from which the first step differs clearly.
import type { Appearance } from './colours';

export const HEAT_COLOURS: Readonly<Record<Appearance, readonly string[]>> = {
  light: ['#fbd9a6', '#f8b872', '#f0934d', '#e16d38', '#c94a2f', '#a72c2c', '#7f1528', '#520a22'],
  dark: ['#4b2236', '#762c45', '#a0374a', '#c44a46', '#df6a41', '#f28f48', '#fbb764', '#ffe6a8'],
};

/** The steps of a heat map. */
export const HEAT_STEPS = HEAT_COLOURS.light.length;
