// The strips of an answer as a picture: one pixel for each bin. A frame then draws one picture, which it moves and stretches to the
// shown time, instead of a box for each state of each bin. Input: the strips of a `timeline` answer, and colours. Output: pixels.
import { GAP, STRIP_HEIGHT, type TimelinePalette, type TimelineStrips } from './timeline_painter';

/** Colours, and the states that are not shown. */
export interface StripLook {
  readonly palette: Pick<TimelinePalette, 'states' | 'line'>;
  readonly hidden: ReadonlySet<string>;
}

/** Pixels in rows from the top. A pixel is red, green, blue and opacity, in this order of bytes; 0 is transparent. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly colours: Uint32Array<ArrayBuffer>;
}

/** The colour `#rrggbb` as a pixel. */
export function pixelOf(colour: string): number {
  const number = Number.parseInt(colour.slice(1), 16);
  const [red, green, blue] = [(number >> 16) & 255, (number >> 8) & 255, number & 255];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The pixels of all strips. `scale` is the number of a screen's pixels for each CSS pixel. */
export function stripPixels(strips: TimelineStrips, look: StripLook, scale: number): Pixels {
  const { bins, states, threadCount, binNs } = strips;
  const height = Math.round(threadCount * STRIP_HEIGHT * scale);
  const pixels = { width: bins, height, colours: new Uint32Array(bins * height) };
  const shown = [...states.keys()].filter((state) => !look.hidden.has(states[state]!));
  const colours = states.map((name) => pixelOf(look.palette.states[name] ?? look.palette.line));
  for (let thread = 0; thread < threadCount; thread++) {
    const top = Math.round(thread * STRIP_HEIGHT * scale);
    const bottom = Math.round((thread * STRIP_HEIGHT + STRIP_HEIGHT - GAP) * scale);
    const perNs = (bottom - top) / (binNs * (strips.lanes[thread] ?? 1));
    const base = new Float64Array(bins);
    for (const state of shown) {
      const first = (thread * states.length + state) * bins;
      fillState(
        pixels,
        { values: strips.ns.subarray(first, first + bins), base, perNs },
        { top, bottom, colour: colours[state]! },
      );
    }
  }
  return pixels;
}

/** One state of one thread. It is on top of the states before it, which end at `base`. */
function fillState(
  { width, colours }: Pixels,
  of: { values: Float32Array; base: Float64Array; perNs: number },
  area: { top: number; bottom: number; colour: number },
): void {
  const { values, base, perNs } = of;
  for (let bin = 0; bin < values.length; bin++) {
    const value = values[bin]!;
    if (!(value > 0)) continue;
    const low = area.bottom - Math.round(base[bin]! * perNs);
    base[bin]! += value;
    const high = Math.max(area.bottom - Math.round(base[bin]! * perNs), area.top);
    for (let row = high; row < low; row++) colours[row * width + bin] = area.colour;
  }
}

/** The picture of all strips. Undefined: there are none. */
export function stripPicture(strips: TimelineStrips, look: StripLook, scale: number): HTMLCanvasElement | undefined {
  const { width, height, colours } = stripPixels(strips, look, scale);
  if (width === 0 || height === 0) return undefined;
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(colours.buffer), width, height), 0, 0);
  return canvas;
}
