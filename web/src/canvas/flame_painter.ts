// Draws the boxes of a flame graph, on a canvas or as the same shapes in SVG. Input: boxes, a window of rows, a
// palette. Output: pixels or text. It stores no data between two drawings.

import { BoxFlag, type FlameBoxes } from './flame_boxes';
import { fitLabel } from './label';

/** Colours of one theme. */
export interface FlamePalette {
  /** The colour of a kind of frame. */
  readonly fill: (kind: number) => string;
  readonly text: string;
  /** Text on pale boxes, which are close to the background. */
  readonly paledText: string;
  readonly background: string;
  readonly joined: string;
  readonly joinedText: string;
  readonly match: string;
  readonly matchText: string;
  readonly selected: string;
  readonly focus: string;
}

/** In comparisons, the colour of a box shows its change instead of its kind. */
export interface BoxChange {
  readonly fill: (box: number) => string;
  /** The text before the name; may be empty. */
  readonly mark: (box: number) => string;
}

/** Marks in addition to the boxes. */
export interface FlameMarks {
  /** Box under the pointer or the keyboard's focus. */
  readonly focused: number | undefined;
  /** Name of the selected function; all its boxes get an outline. */
  readonly selected: string | undefined;
  /** True during a search: boxes without a match are pale. */
  readonly isSearching: boolean;
  readonly change?: BoxChange | undefined;
}

/** The part of the graph that is on screen, in CSS pixels. */
export interface FlameWindow {
  readonly width: number;
  readonly height: number;
  /** Height of the graph above the window, in pixels. */
  readonly scrolled: number;
  /** True if row 0 is at the bottom, as in a flame graph; false if it is at the top, as in an icicle graph. */
  readonly isRootLow: boolean;
  /** Rows of the whole graph. */
  readonly rowCount: number;
}

/** Height of a row in CSS pixels, with the gap below the row. */
export const ROW_HEIGHT = 19;
const GAP = 1;
const PADDING = 4;
const FONT_SIZE = 12;
export const FLAME_FONT = `${FONT_SIZE}px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif`;
/** Narrower boxes get no text. */
const NARROWEST_LABELLED = 24;
/** Opacity of boxes without a match. */
const PALED = 0.35;

/** The position of a box in the window. */
export interface BoxPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Top of a row in the window, in pixels. */
export function rowTop(row: number, window: FlameWindow): number {
  const fromTop = window.isRootLow ? window.rowCount - 1 - row : row;
  return fromTop * ROW_HEIGHT - window.scrolled;
}

/** The row at a vertical position in the window. */
export function rowAt(y: number, window: FlameWindow): number {
  const fromTop = Math.floor((y + window.scrolled) / ROW_HEIGHT);
  return window.isRootLow ? window.rowCount - 1 - fromTop : fromTop;
}

/** The rows that a window shows: the first row, and one past the last row. */
export function visibleRows(window: FlameWindow): readonly [number, number] {
  const a = rowAt(0, window);
  const b = rowAt(window.height, window);
  return [Math.max(0, Math.min(a, b)), Math.min(window.rowCount, Math.max(a, b) + 1)];
}

/** The place of a box in the window. */
export function boxPlace(boxes: FlameBoxes, box: number, window: FlameWindow): BoxPlace {
  const { x, width, row } = boxes.arrays;
  const left = x[box]! * window.width;
  const right = (x[box]! + width[box]!) * window.width;
  const gap = right - left > 3 ? 0.5 : 0;
  return {
    left,
    top: rowTop(row[box]!, window),
    width: Math.max(right - left - gap, 0.4),
    height: ROW_HEIGHT - GAP,
  };
}

/** A target on which boxes are drawn. */
interface Surface {
  box(place: BoxPlace, fill: string, opacity: number): void;
  outline(place: BoxPlace, colour: string): void;
  label(place: BoxPlace, text: string, colour: string): void;
  /** Average number of characters that fit into a width. */
  room(width: number): number;
}

/** Draws on a canvas whose context is scaled to CSS pixels. */
export function paintFlame(
  context: CanvasRenderingContext2D,
  boxes: FlameBoxes,
  window: FlameWindow,
  look: { palette: FlamePalette; marks: FlameMarks },
): void {
  context.fillStyle = look.palette.background;
  context.fillRect(0, 0, window.width, window.height);
  context.font = FLAME_FONT;
  context.textBaseline = 'middle';
  draw(new CanvasSurface(context), boxes, window, look);
}

/** The window as the text of an SVG file. */
export function flameSvg(
  boxes: FlameBoxes,
  window: FlameWindow,
  look: { palette: FlamePalette; marks: FlameMarks },
  title: string,
): string {
  const surface = new SvgSurface();
  draw(surface, boxes, window, look);
  const size = `width='${window.width}' height='${window.height}' viewBox='0 0 ${window.width} ${window.height}'`;
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' ${size} font-family='system-ui, sans-serif' font-size='${FONT_SIZE}'>` +
    `<title>${escapeXml(title)}</title>` +
    `<rect width='100%' height='100%' fill='${look.palette.background}'/>` +
    `${surface.text.join('')}</svg>\n`
  );
}

function draw(
  surface: Surface,
  boxes: FlameBoxes,
  window: FlameWindow,
  look: { palette: FlamePalette; marks: FlameMarks },
): void {
  const [firstRow, endRow] = visibleRows(window);
  for (let row = Math.max(firstRow, boxes.firstRow); row < Math.min(endRow, boxes.lastRow + 1); row++) {
    const [first, end] = boxes.rowRange(row);
    for (let box = first; box < end; box++) drawBox(surface, boxes, box, boxPlace(boxes, box, window), look);
  }
  const { focused } = look.marks;
  if (focused !== undefined && focused < boxes.length) {
    surface.outline(boxPlace(boxes, focused, window), look.palette.focus);
  }
}

function drawBox(
  surface: Surface,
  boxes: FlameBoxes,
  box: number,
  place: BoxPlace,
  look: { palette: FlamePalette; marks: FlameMarks },
): void {
  const { palette, marks } = look;
  const isMatch = boxes.has(box, BoxFlag.matches);
  const isJoined = boxes.has(box, BoxFlag.joined);
  // Changes keep their colours during a search, because the magenta of matches looks like blue to some people. Boxes
  // without a match are pale, so matches are still visible.
  const isMarked = isMatch && !marks.change;
  const own = marks.change ? marks.change.fill(box) : palette.fill(boxes.kind(box));
  const fill = isMarked ? palette.match : isJoined ? palette.joined : own;
  const isPaled = marks.isSearching && !isMatch;
  surface.box(place, fill, isPaled ? PALED : 1);
  if (place.width < NARROWEST_LABELLED) return;
  const name = boxes.name(box);
  if (name === marks.selected && !isJoined) surface.outline(place, palette.selected);
  const text = isJoined ? `${boxes.arrays.own[box]} small` : name;
  const label = markedLabel(isJoined ? '' : (marks.change?.mark(box) ?? ''), text, surface.room(place.width - 2 * PADDING));
  const colour = isPaled ? palette.paledText : isMarked ? palette.matchText : isJoined ? palette.joinedText : palette.text;
  if (label) surface.label(place, label, colour);
}

/** The mark, if it fits, and the part of the name that fits after the mark. */
function markedLabel(mark: string, name: string, room: number): string {
  if (mark === '') return fitLabel(name, room);
  if (mark.length > room) return room > 0 ? mark.slice(0, 1) : '';
  return `${mark} ${fitLabel(name, room - mark.length - 1)}`.trimEnd();
}

class CanvasSurface implements Surface {
  private readonly characterWidth: number;
  /** The colour that is set in the context. */
  private filled = '';

  constructor(private readonly context: CanvasRenderingContext2D) {
    const sample = 'java.util.HashMap.put(Object)';
    this.characterWidth = context.measureText(sample).width / sample.length;
  }

  box(place: BoxPlace, fill: string, opacity: number): void {
    this.fillWith(fill);
    if (opacity < 1) this.context.globalAlpha = opacity;
    this.context.fillRect(place.left, place.top, place.width, place.height);
    if (opacity < 1) this.context.globalAlpha = 1;
  }

  /** Sets the colour only if it changes, because a browser parses a colour's text each time. */
  private fillWith(colour: string): void {
    if (colour === this.filled) return;
    this.context.fillStyle = colour;
    this.filled = colour;
  }

  outline(place: BoxPlace, colour: string): void {
    this.context.strokeStyle = colour;
    this.context.lineWidth = 2;
    this.context.strokeRect(place.left + 1, place.top + 1, Math.max(place.width - 2, 1), place.height - 2);
  }

  label(place: BoxPlace, text: string, colour: string): void {
    this.fillWith(colour);
    // The fourth argument compresses a text that is wider than average, so that the text does not overflow.
    this.context.fillText(text, place.left + PADDING, place.top + place.height / 2 + 0.5, place.width - 2 * PADDING);
  }

  room(width: number): number {
    return Math.floor(width / this.characterWidth);
  }
}

class SvgSurface implements Surface {
  readonly text: string[] = [];

  box(place: BoxPlace, fill: string, opacity: number): void {
    const paled = opacity < 1 ? ` opacity='${opacity}'` : '';
    this.text.push(`<rect ${shape(place)} fill='${fill}'${paled}/>`);
  }

  outline(place: BoxPlace, colour: string): void {
    this.text.push(`<rect ${shape(place)} fill='none' stroke='${colour}' stroke-width='2'/>`);
  }

  label(place: BoxPlace, text: string, colour: string): void {
    const x = tenth(place.left + PADDING);
    const y = tenth(place.top + place.height / 2 + FONT_SIZE * 0.36);
    this.text.push(`<text x='${x}' y='${y}' fill='${colour}'>${escapeXml(text)}</text>`);
  }

  room(width: number): number {
    return Math.floor(width / (FONT_SIZE * 0.56));
  }
}

function shape(place: BoxPlace): string {
  return `x='${tenth(place.left)}' y='${tenth(place.top)}' width='${tenth(place.width)}' height='${place.height}'`;
}

function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Escapes a name for SVG. Profiled programs determine the names, so a name must never be markup. */
export function escapeXml(text: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows no control characters, so they are replaced.
  return text.replace(/[&<>"']/g, (c) => escapes[c]!).replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, '\ufffd');
}
