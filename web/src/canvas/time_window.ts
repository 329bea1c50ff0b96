// The shown part of a run, and how wheel and keys change it. Input: the shown range, and what the user did. Output: the new
// range, which never leaves the run. The functions are pure.
import { type TimeAxis, type TimeRange, xToTime } from './time_axis';

/** A shorter range has less than a nanosecond per pixel on most screens, and the kernel's times are not more exact. */
const SHORTEST_NS = 1000;
/** The logarithm of the zoom per pixel of a wheel's turn, and its limit: one notch of a mouse's wheel is about 100 pixels. */
const ZOOM_PER_PIXEL = 0.01;
const MOST_ZOOM = 0.3;
/** Some browsers report the turn of a wheel in lines. */
const PIXELS_PER_LINE = 16;
const KEY_ZOOM = 1.5;
/** Share of the shown range by which a key moves it. */
const KEY_PAN = 1 / 10;

/** A range of this length that begins at this time or as close to it as the run allows. */
export function rangeWithin(fromNs: number, lengthNs: number, wholeNs: number): TimeRange {
  const length = Math.round(Math.min(Math.max(lengthNs, SHORTEST_NS), wholeNs));
  const from = Math.round(Math.min(Math.max(fromNs, 0), wholeNs - length));
  return { fromNs: from, toNs: from + length };
}

/** A range of this length with an event, or with a moment, in its middle. */
export function rangeAround(event: TimeRange, lengthNs: number, wholeNs: number): TimeRange {
  return rangeWithin((event.fromNs + event.toNs - lengthNs) / 2, lengthNs, wholeNs);
}

/** The range with a length multiplied by a factor. The time `atNs` keeps its place on the screen. */
export function zoomed(range: TimeRange, factor: number, atNs: number, wholeNs: number): TimeRange {
  const before = range.toNs - range.fromNs;
  const length = Math.min(Math.max(before * factor, SHORTEST_NS), wholeNs);
  return rangeWithin(atNs - ((atNs - range.fromNs) / before) * length, length, wholeNs);
}

export function panned(range: TimeRange, byNs: number, wholeNs: number): TimeRange {
  return rangeWithin(range.fromNs + byNs, range.toNs - range.fromNs, wholeNs);
}

/**
 * The range after a drag in a picture of the whole run. The drag moves the range. If it begins outside the range, the
 * range jumps to the pointer. If the whole run is shown, the drag chooses a range.
 */
export function draggedWindow(start: TimeRange, downNs: number, nowNs: number, wholeNs: number): TimeRange {
  const length = start.toNs - start.fromNs;
  if (length >= wholeNs) {
    return downNs === nowNs ? start : rangeWithin(Math.min(downNs, nowNs), Math.abs(downNs - nowNs), wholeNs);
  }
  const isInside = downNs >= start.fromNs && downNs <= start.toNs;
  return rangeWithin(isInside ? start.fromNs + nowNs - downNs : nowNs - length / 2, length, wholeNs);
}

/** A turn of the wheel, as browsers report it. */
export type Wheel = Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** The place of the wheel's pointer. */
export interface WheelPlace {
  readonly axis: TimeAxis;
  /** The pointer's distance from the axis' left end. */
  readonly x: number;
  readonly wholeNs: number;
  /** The wheel zooms without a key, because nothing can be scrolled here. */
  readonly zoomsAlone: boolean;
}

/**
 * The range after a turn of the wheel. Undefined: the turn scrolls the page. Sideways turns, and turns with Shift, pan.
 * Turns with Ctrl or ⌘ zoom.
 */
export function afterWheel(wheel: Wheel, { axis, x, wholeNs, zoomsAlone }: WheelPlace): TimeRange | undefined {
  const pixels = wheel.deltaMode === 0 ? 1 : PIXELS_PER_LINE;
  const isZoom = wheel.ctrlKey || wheel.metaKey;
  const isSideways = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY);
  if (!isZoom && (isSideways || wheel.shiftKey)) {
    const moved = (isSideways ? wheel.deltaX : wheel.deltaY) * pixels;
    return panned(axis, (moved / axis.width) * (axis.toNs - axis.fromNs), wholeNs);
  }
  if (!isZoom && !zoomsAlone) return undefined;
  const power = Math.min(Math.max(wheel.deltaY * pixels * ZOOM_PER_PIXEL, -MOST_ZOOM), MOST_ZOOM);
  return zoomed(axis, Math.exp(power), xToTime(x, axis), wholeNs);
}

/** The range after a key: `w` and `s` zoom at the cursor or in the middle, `a` and `d` pan. Undefined: the key has no meaning. */
export function afterKey(key: string, shown: TimeRange, cursorNs: number | undefined, wholeNs: number): TimeRange | undefined {
  const length = shown.toNs - shown.fromNs;
  const isShown = cursorNs !== undefined && cursorNs >= shown.fromNs && cursorNs <= shown.toNs;
  const at = isShown ? cursorNs : shown.fromNs + length / 2;
  switch (key.toLowerCase()) {
    case 'w':
      return zoomed(shown, 1 / KEY_ZOOM, at, wholeNs);
    case 's':
      return zoomed(shown, KEY_ZOOM, at, wholeNs);
    case 'a':
      return panned(shown, -length * KEY_PAN, wholeNs);
    case 'd':
      return panned(shown, length * KEY_PAN, wholeNs);
    default:
      return undefined;
  }
}
