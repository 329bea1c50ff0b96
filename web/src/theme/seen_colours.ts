// Measures how people see colours: contrast, and distance with and without each kind of cone. For tests of palettes.
type Rgb = readonly [number, number, number];

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Rgb;
const linear = (colour: Rgb): Rgb =>
  colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as unknown as Rgb;
const times = (matrix: readonly Rgb[], v: Rgb): Rgb =>
  matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as unknown as Rgb;

/** Contrast by the definition of WCAG 2. */
export function contrast(left: string, right: string): number {
  const luminance = (hex: string) => times([[0.2126, 0.7152, 0.0722]], linear(rgb(hex)))[0];
  const [high, low] = [luminance(left), luminance(right)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Linear RGB as seen by people without red, green or blue cones (Machado, Oliveira and Fernandes, 2009). */
export const VISION: Record<string, readonly Rgb[]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Distance in Oklab. A distance of 0.02 is just noticeable side by side. */
export function distance(left: string, right: string, vision: readonly Rgb[]): number {
  const lab = (hex: string) => {
    const seen = times(vision, linear(rgb(hex))).map((part) => Math.max(0, part)) as unknown as Rgb;
    const cones = times(
      [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ],
      seen,
    );
    return times(
      [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
      ],
      cones.map(Math.cbrt) as unknown as Rgb,
    );
  };
  const [a, b] = [lab(left), lab(right)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
