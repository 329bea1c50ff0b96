// A lane of a timeline: a bar in each bin, and the longest event of each bin. Input: the bins, and the visible axis. Output:
// pixels, and the event at a pixel. The functions are pure, except the painter.
import { type TimeAxis, type TimeRange, timeToX, xToTime } from './time_axis';

/** The bins of a lane. */
export interface Lane {
  /** Height of each bin's bar, in a unit of which `most` fills the lane. */
  readonly amount: Float32Array;
  /** The number of the longest event in each bin. Other numbers than those of the events mean that there is none. */
  readonly longest: Uint32Array;
  readonly eventCount: number;
  readonly most: number;
  /** Start of the first bin. It can be outside the axis while a new answer is on its way. */
  readonly fromNs: number;
  readonly binNs: number;
}

export const LANE_HEIGHT = 22;
/** Pixels above the bars. */
const GAP = 3;
/** The lowest bar. A stop of a millisecond is visible in a picture of an hour. */
const LOWEST_BAR = 5;
/** Distance in pixels in which the pointer finds an event. Many events are only a bin wide. */
const REACH = 3;
/** The narrowest range on the screen. */
const NARROWEST = 2;

/** The height of a bar. Everything that is not 0 is visible. */
export function barHeight(amount: number, most: number): number {
  const highest = LANE_HEIGHT - GAP;
  return amount > 0 && most > 0 ? LOWEST_BAR + (highest - LOWEST_BAR) * Math.min(amount / most, 1) : 0;
}

/** The number of the event of a bin; undefined: there is none. */
function eventOf(lane: Lane, bin: number): number | undefined {
  const event = lane.longest[bin];
  return event !== undefined && event < lane.eventCount ? event : undefined;
}

/** The event at a pixel, or else the nearest one next to it. */
export function eventAt(lane: Lane, x: number, axis: TimeAxis): number | undefined {
  for (let away = 0; away <= REACH; away++) {
    for (const at of [x - away, x + away]) {
      const event = eventOf(lane, Math.floor((xToTime(at, axis) - lane.fromNs) / lane.binNs));
      if (event !== undefined) return event;
    }
  }
  return undefined;
}

/** The event after a key; undefined: the key has no meaning. Without an event before, an arrow goes to the first one. */
export function eventAfterKey(key: string, before: number | undefined, eventCount: number): number | undefined {
  if (eventCount === 0) return undefined;
  const last = eventCount - 1;
  switch (key) {
    case 'ArrowLeft':
      return Math.max((before ?? 0) - 1, 0);
    case 'ArrowRight':
      return before === undefined ? 0 : Math.min(before + 1, last);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The place of a range on the axis: its left edge and its width, at least two pixels. Undefined: it is outside. */
export function placeOf(range: TimeRange, axis: TimeAxis): { left: number; width: number } | undefined {
  const [from, to] = [timeToX(range.fromNs, axis), timeToX(range.toNs, axis)];
  if (to < 0 || from > axis.width || axis.width <= 0) return undefined;
  const left = Math.max(from, 0);
  return { left, width: Math.max(Math.min(to, axis.width) - left, NARROWEST) };
}

/** Draws the bars. A line separates bins with different events, so long events can be counted. */
export function paintLane(
  context: CanvasRenderingContext2D,
  lane: Lane,
  axis: TimeAxis,
  look: { background: string; colourOf(event: number): string },
): void {
  context.fillStyle = look.background;
  context.fillRect(0, 0, axis.width, LANE_HEIGHT);
  const xOf = (bin: number) => Math.round(Math.min(Math.max(timeToX(lane.fromNs + bin * lane.binNs, axis), 0), axis.width));
  let before: number | undefined;
  let colour = '';
  for (let bin = 0; bin < lane.longest.length; bin++) {
    const event = eventOf(lane, bin);
    const [left, right] = [xOf(bin), xOf(bin + 1)];
    if (event !== undefined && right > left) {
      const newest = look.colourOf(event);
      if (newest !== colour) context.fillStyle = colour = newest;
      const height = barHeight(Math.max(lane.amount[bin] ?? 0, Number.MIN_VALUE), lane.most);
      const gap = before !== undefined && before !== event && right - left > 1 ? 1 : 0;
      context.fillRect(left + gap, LANE_HEIGHT - height, right - left - gap, height);
    }
    before = event;
  }
}
