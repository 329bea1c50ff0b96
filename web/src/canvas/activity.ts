// The activity of all threads together: how many threads are in each state, stacked, over time. Input: sums of a `timeline`
// answer. Output: pixels, and the scale of the graph.
import { type TimeAxis, type TimeRange, timeToX } from './time_axis';
import { drawStates, surfaceOf, type TimelinePalette, type TimelineStrips } from './timeline_painter';

/** Nanoseconds by state and bin, the sums over all threads. */
export type Activity = Pick<TimelineStrips, 'ns' | 'fromNs' | 'binNs' | 'bins' | 'states'>;

/** The largest number of threads that are in a state that is not hidden, as the mean of a bin. */
export function mostThreads({ ns, binNs, bins, states }: Activity, hidden: ReadonlySet<string>): number {
  const sums = new Float64Array(bins);
  states.forEach((name, state) => {
    if (hidden.has(name)) return;
    for (let bin = 0; bin < bins; bin++) sums[bin]! += ns[state * bins + bin]!;
  });
  return sums.reduce((most, sum) => Math.max(most, sum), 0) / binNs;
}

/** The largest round number that is at most `most`: 1, 2 or 5 times a power of ten. */
export function roundMark(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = [5, 2, 1].find((factor) => factor * power <= most) ?? 1;
  return Number((factor * power).toPrecision(1));
}

/** Draws the activity. A number of `most` threads is as tall as the area. */
export function paintActivity(
  context: CanvasRenderingContext2D,
  activity: Activity,
  area: { axis: TimeAxis; height: number; most: number },
  look: { palette: TimelinePalette; hidden: ReadonlySet<string> },
): void {
  const { axis, height, most } = area;
  context.fillStyle = look.palette.background;
  context.fillRect(0, 0, axis.width, height);
  drawStates(surfaceOf(context), { ...activity, fullNs: activity.binNs * most }, axis, { ...look, top: 0, height });
}

/** Shades the times outside a window, and draws the window's frame. */
export function paintWindow(
  context: CanvasRenderingContext2D,
  shown: TimeRange,
  area: { axis: TimeAxis; height: number },
  palette: TimelinePalette,
): void {
  const { axis, height } = area;
  const left = Math.round(timeToX(shown.fromNs, axis));
  // A window of a few nanoseconds is still visible.
  const right = Math.max(Math.round(timeToX(shown.toNs, axis)), left + 3);
  context.globalAlpha = 0.65;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, axis.width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.range;
  context.lineWidth = 2;
  context.strokeRect(left + 1, 1, right - left - 2, height - 2);
}
