// Draws the states of threads over time. Each thread has one strip, and each time bin of a strip is a stack of states.
// Input: one window of threads of a `timeline` answer, and colours. Output: pixels, or the same shapes as SVG text.

import { escapeXml } from './flame_painter';
import { type TimeAxis, type TimeRange, timeToX } from './time_axis';

/** The strips of some threads. */
export interface TimelineStrips {
  /** Nanoseconds in a state: thread by thread, state by state, bin by bin. */
  readonly ns: Float32Array;
  readonly binNs: number;
  readonly bins: number;
  readonly threadCount: number;
  /** The names of the states, in the order of the array. They are drawn from the bottom up. */
  readonly states: readonly string[];
}

/** Colours of one theme. */
export interface TimelinePalette {
  readonly background: string;
  readonly line: string;
  readonly states: Readonly<Record<string, string>>;
  readonly range: string;
  readonly cursor: string;
  readonly counter: string;
}

export interface TimelineMarks {
  /** The time range that the user drags or has selected. */
  readonly range: TimeRange | undefined;
  readonly cursorNs: number | undefined;
}

/** Height of a thread's strip in CSS pixels, with the gap below the strip. */
export const STRIP_HEIGHT = 30;
const GAP = 6;

/** A target on which states are drawn. */
interface Surface {
  box(left: number, top: number, width: number, height: number, fill: string): void;
}

/** Draws the strips of an answer. The first strip starts at `top`. */
export function paintStrips(
  context: CanvasRenderingContext2D,
  strips: TimelineStrips,
  axis: TimeAxis,
  look: { palette: TimelinePalette; hidden: ReadonlySet<string>; top: number },
): void {
  const surface: Surface = {
    box(left, top, width, height, fill) {
      context.fillStyle = fill;
      context.fillRect(left, top, width, height);
    },
  };
  for (let thread = 0; thread < strips.threadCount; thread++) {
    drawStrip(surface, strips, thread, axis, { ...look, top: look.top + thread * STRIP_HEIGHT });
  }
}

/** Draws range, cursor and focus over the strips. */
export function paintMarks(
  context: CanvasRenderingContext2D,
  axis: TimeAxis,
  height: number,
  look: { palette: TimelinePalette; marks: TimelineMarks },
): void {
  const { palette, marks } = look;
  if (marks.range) {
    const left = timeToX(marks.range.fromNs, axis);
    const right = timeToX(marks.range.toNs, axis);
    context.globalAlpha = 0.18;
    context.fillStyle = palette.range;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 1;
    context.fillRect(left - 1, 0, 2, height);
    context.fillRect(right - 1, 0, 2, height);
  }
  if (marks.cursorNs !== undefined) {
    context.fillStyle = palette.cursor;
    context.fillRect(Math.round(timeToX(marks.cursorNs, axis)), 0, 1, height);
  }
}

/** The strips as the text of an SVG file, with the threads' names at the left. */
export function timelineSvg(
  strips: TimelineStrips,
  names: readonly string[],
  axis: TimeAxis,
  look: { palette: TimelinePalette; hidden: ReadonlySet<string> },
  title: string,
): string {
  const nameWidth = 220;
  const parts: string[] = [];
  const surface: Surface = {
    box(left, top, width, height, fill) {
      const numbers = [left + nameWidth, top, width, height].map((number) => Math.round(number * 10) / 10);
      parts.push(`<rect x='${numbers[0]}' y='${numbers[1]}' width='${numbers[2]}' height='${numbers[3]}' fill='${fill}'/>`);
    },
  };
  for (let thread = 0; thread < strips.threadCount; thread++) {
    const top = thread * STRIP_HEIGHT;
    drawStrip(surface, strips, thread, axis, { ...look, top });
    const name = escapeXml(names[thread] ?? '');
    parts.push(`<text x='4' y='${top + STRIP_HEIGHT / 2 + 2}' fill='${look.palette.cursor}'>${name}</text>`);
  }
  const width = axis.width + nameWidth;
  const height = strips.threadCount * STRIP_HEIGHT;
  const size = `width='${width}' height='${height}' viewBox='0 0 ${width} ${height}'`;
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' ${size} font-family='system-ui, sans-serif' font-size='12'>` +
    `<title>${escapeXml(title)}</title><rect width='100%' height='100%' fill='${look.palette.background}'/>` +
    `${parts.join('')}</svg>\n`
  );
}

function drawStrip(
  surface: Surface,
  strips: TimelineStrips,
  thread: number,
  axis: TimeAxis,
  look: { palette: TimelinePalette; hidden: ReadonlySet<string>; top: number },
): void {
  const { bins, binNs, states } = strips;
  const height = STRIP_HEIGHT - GAP;
  const binWidth = (binNs / (axis.toNs - axis.fromNs)) * axis.width;
  surface.box(0, look.top + height, axis.width, 1, look.palette.line);
  const base = new Float32Array(bins);
  for (let state = 0; state < states.length; state++) {
    const name = states[state]!;
    if (look.hidden.has(name)) continue;
    const fill = look.palette.states[name] ?? look.palette.line;
    const first = (thread * states.length + state) * bins;
    drawState(surface, { values: strips.ns.subarray(first, first + bins), base, binNs }, binWidth, {
      fill,
      top: look.top,
      height,
    });
  }
}

/** One state of one thread. Neighbours of equal height are drawn as one box. */
function drawState(
  surface: Surface,
  of: { values: Float32Array; base: Float32Array; binNs: number },
  binWidth: number,
  look: { fill: string; top: number; height: number },
): void {
  const { values, base, binNs } = of;
  let start = 0;
  while (start < values.length) {
    const value = values[start]!;
    let end = start + 1;
    while (end < values.length && values[end] === value && base[end] === base[start]) end++;
    if (value > 0) {
      const share = Math.min(value / binNs, 1 - Math.min(base[start]! / binNs, 1));
      const tall = share * look.height;
      const from = look.top + look.height * (1 - Math.min(base[start]! / binNs, 1)) - tall;
      // Boxes have whole pixels: two boxes that share a pixel would leave a visible seam.
      const left = Math.round(start * binWidth);
      surface.box(left, from, Math.round(end * binWidth) - left, tall, look.fill);
    }
    for (let bin = start; bin < end; bin++) base[bin]! += value;
    start = end;
  }
}

/** Draws a counter as a line in its own range. Bins without a value are gaps. */
export function paintCounter(
  context: CanvasRenderingContext2D,
  values: Float32Array,
  area: { width: number; top: number; height: number },
  colour: string,
): void {
  let highest = 0;
  for (const value of values) if (value > highest) highest = value;
  if (highest === 0) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.beginPath();
  let isDrawing = false;
  values.forEach((value, bin) => {
    if (Number.isNaN(value)) {
      return;
    }
    const x = ((bin + 0.5) / values.length) * area.width;
    const y = area.top + area.height * (1 - value / highest);
    if (isDrawing) context.lineTo(x, y);
    else context.moveTo(x, y);
    isDrawing = true;
  });
  context.stroke();
}
