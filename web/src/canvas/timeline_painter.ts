// Draws the states of threads over time. Each thread has one strip, and each time bin of a strip is a stack of states.
// Input: one window of threads of a `timeline` answer, and colours. Output: pixels, or the same shapes as SVG text.

import { escapeXml } from './flame_painter';
import { type TimeAxis, type TimeRange, timeToX } from './time_axis';

/** The strips of some threads. */
export interface TimelineStrips {
  /** Nanoseconds in a state: thread by thread, state by state, bin by bin. For a pool: the sum over its threads. */
  readonly ns: Float32Array;
  /** Number of threads of each row, which divides its times: a pool shows the mean of its threads. */
  readonly lanes: readonly number[];
  /** Start of the first bin. It can be outside the axis while a new answer is on its way. */
  readonly fromNs: number;
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
/** The part of the height below the strip. */
export const GAP = 6;

/** A target on which states are drawn. */
export interface Surface {
  box(left: number, top: number, width: number, height: number, fill: string): void;
}

/** Draws the picture of an answer's strips where it belongs on the axis, and a line below each strip. The first strip starts at `top`. */
export function paintStrips(
  context: CanvasRenderingContext2D,
  { strips, picture }: { strips: TimelineStrips; picture: HTMLCanvasElement | undefined },
  axis: TimeAxis,
  look: { palette: TimelinePalette; top: number; height: number },
): void {
  context.fillStyle = look.palette.line;
  const first = Math.max(Math.floor(-look.top / STRIP_HEIGHT), 0);
  const end = Math.min(Math.ceil((look.height - look.top) / STRIP_HEIGHT), strips.threadCount);
  for (let thread = first; thread < end; thread++) {
    context.fillRect(0, look.top + (thread + 1) * STRIP_HEIGHT - GAP, axis.width, 1);
  }
  // The shown part of the picture: a picture that is stretched a thousand times is too wide to draw.
  const [from, to] = [axis.fromNs, axis.toNs].map((ns) =>
    Math.min(Math.max((ns - strips.fromNs) / strips.binNs, 0), strips.bins),
  );
  if (!picture || end <= first || to! <= from!) return;
  const [left, right] = [from!, to!].map((bin) => timeToX(strips.fromNs + bin * strips.binNs, axis));
  const scale = picture.height / (strips.threadCount * STRIP_HEIGHT);
  const [top, height] = [first * STRIP_HEIGHT, (end - first) * STRIP_HEIGHT];
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, from!, top * scale, to! - from!, height * scale, left!, look.top + top, right! - left!, height);
}

/** The colour is set only if it changes, because reading a colour takes longer than drawing a box. */
export function surfaceOf(context: CanvasRenderingContext2D): Surface {
  let last = '';
  return {
    box(left, top, width, height, fill) {
      if (fill !== last) context.fillStyle = last = fill;
      context.fillRect(left, top, width, height);
    },
  };
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
  const { bins, states, ns } = strips;
  const height = STRIP_HEIGHT - GAP;
  surface.box(0, look.top + height, axis.width, 1, look.palette.line);
  const first = thread * states.length * bins;
  const stack = {
    ...strips,
    ns: ns.subarray(first, first + states.length * bins),
    fullNs: strips.binNs * (strips.lanes[thread] ?? 1),
  };
  drawStates(surface, stack, axis, { ...look, height });
}

/** Bins of states that are stacked on each other. */
export interface StateStack extends Pick<TimelineStrips, 'ns' | 'fromNs' | 'binNs' | 'bins' | 'states'> {
  /** The time that is as tall as the area. */
  readonly fullNs: number;
}

/** Draws states on top of each other, in their order from the bottom up. */
export function drawStates(
  surface: Surface,
  stack: StateStack,
  axis: TimeAxis,
  look: { palette: TimelinePalette; hidden: ReadonlySet<string>; top: number; height: number },
): void {
  const { bins, states } = stack;
  const base = new Float32Array(bins);
  const edges = edgesOf(stack, axis);
  states.forEach((name, state) => {
    if (look.hidden.has(name)) return;
    const values = stack.ns.subarray(state * bins, (state + 1) * bins);
    const fill = look.palette.states[name] ?? look.palette.line;
    drawState(surface, { values, base, edges, fullNs: stack.fullNs }, { fill, top: look.top, height: look.height });
  });
}

/**
 * The edges of the bins in pixels. They are whole pixels: two boxes that share a pixel would leave a visible seam. Bins
 * outside the axis have no width.
 */
function edgesOf({ fromNs, binNs, bins }: StateStack, axis: TimeAxis): Int32Array {
  const edges = new Int32Array(bins + 1);
  for (let bin = 0; bin <= bins; bin++) {
    edges[bin] = Math.round(Math.min(Math.max(timeToX(fromNs + bin * binNs, axis), 0), axis.width));
  }
  return edges;
}

/** One state of one thread. Neighbours of equal height are drawn as one box. */
function drawState(
  surface: Surface,
  of: { values: Float32Array; base: Float32Array; edges: Int32Array; fullNs: number },
  look: { fill: string; top: number; height: number },
): void {
  const { values, base, edges, fullNs } = of;
  let start = 0;
  while (start < values.length) {
    const value = values[start]!;
    let end = start + 1;
    while (end < values.length && values[end] === value && base[end] === base[start]) end++;
    const width = edges[end]! - edges[start]!;
    if (value > 0 && width > 0) {
      const below = Math.min(base[start]! / fullNs, 1);
      const tall = Math.min(value / fullNs, 1 - below) * look.height;
      surface.box(edges[start]!, look.top + look.height * (1 - below) - tall, width, tall, look.fill);
    }
    for (let bin = start; bin < end; bin++) base[bin]! += value;
    start = end;
  }
}

/** Draws a counter as a line in its own range. The line connects the bins with a value. */
export function paintCounter(
  context: CanvasRenderingContext2D,
  { values, fromNs, binNs }: { values: Float32Array; fromNs: number; binNs: number },
  area: { axis: TimeAxis; top: number; height: number },
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
    const x = timeToX(fromNs + (bin + 0.5) * binNs, area.axis);
    const y = area.top + area.height * (1 - value / highest);
    if (isDrawing) context.lineTo(x, y);
    else context.moveTo(x, y);
    isDrawing = true;
  });
  context.stroke();
}
