// The sentences about the stops of the JVM on the overview, and the link to a stop. The functions are pure.
import { rangeAround } from '../../canvas/time_window';
import type { LaneStop, OverviewView, PauseFigures } from '../../engine/answers';
import { counted, readable } from '../../format/numbers';
import { millisInRun } from '../../format/times';
import type { AppState } from '../../state/app_state';
import type { StateChange } from '../../state/change';
import { rangeOptions } from '../timeline/shown_range';

/** The stop fills a twentieth of the shown time: it is wide enough to see, and its surroundings are visible. */
const LENGTHS_SHOWN = 20;

/** The stops of the whole run. Some JVMs only report pauses of the collector. Null: the JVM reported no stop. */
export function stopsOf({ safepoints, gc_pauses }: Pick<OverviewView, 'safepoints' | 'gc_pauses'>): PauseFigures | null {
  return safepoints ?? gc_pauses;
}

/** `The JVM stopped all threads 12 times, 34.5 ms in total.` */
export function stopsWords({ events_count, duration_ns }: PauseFigures): string {
  return `The JVM stopped all threads ${counted(events_count, 'time')}, ${readable(duration_ns, 'nanoseconds')} in total.`;
}

/** `The longest stop took 12.0 ms`, and if the stop is known: `, at 1.500 s: Pause Young`. */
export function longestWords(lengthNs: number, stop?: LaneStop): string {
  const known = stop ? `, at ${millisInRun(stop.start_ns)}: ${stop.name}` : '';
  return `The longest stop took ${readable(lengthNs, 'nanoseconds')}${known}`;
}

/** Shows the strips of the timeline around a stop. */
export function showStop({ start_ns, end_ns }: LaneStop, options: AppState['options'], wholeNs: number): StateChange {
  const range = rangeAround({ fromNs: start_ns, toNs: end_ns }, (end_ns - start_ns) * LENGTHS_SHOWN, wholeNs);
  return { view: 'timeline', options: { ...options, 'timeline.picture': '', ...rangeOptions(range, wholeNs) } };
}
