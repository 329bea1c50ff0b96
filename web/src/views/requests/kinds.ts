// The kinds of time of a request's thread: their titles, words and colours. The colours are those of the timeline.
import type { RequestKindTimes, RequestShares, RequestTimeKind } from '../../engine/answers';
import { readable, roughPercent } from '../../format/numbers';
import type { BarPart } from '../../parts/share_bar';
import { stateColour } from '../../theme/colours';

interface Kind {
  name: RequestTimeKind | 'unknown';
  /** As in the terminal. */
  title: string;
  /** What the thread did. */
  words: string;
  colour: string;
}

/** No thread and unknown times are patterns, because they are not states of a thread. */
const stripes = (angle: number) => `repeating-linear-gradient(${angle}deg, var(--ink-3) 0 1px, var(--paper-3) 1px 5px)`;

export const KINDS: readonly Kind[] = [
  { name: 'on_cpu', title: 'CPU', words: 'executing', colour: stateColour('user') },
  { name: 'runnable', title: 'runnable', words: 'waiting for a CPU', colour: stateColour('run_queue') },
  { name: 'futex', title: 'futex', words: 'waiting for a lock, a task or a time limit', colour: stateColour('futex') },
  { name: 'socket', title: 'socket', words: 'waiting for a socket', colour: stateColour('socket') },
  { name: 'disk', title: 'disk', words: 'waiting for a file or a page', colour: stateColour('file') },
  { name: 'sleep', title: 'sleep', words: 'sleeping', colour: stateColour('sleep') },
  { name: 'other', title: 'other', words: 'waiting for something else', colour: stateColour('other') },
  { name: 'away', title: 'no thread', words: 'no thread worked for it', colour: stripes(90) },
  { name: 'unknown', title: 'unknown', words: 'unknown', colour: stripes(135) },
];

export function kindNamed(name: RequestTimeKind): Kind {
  return KINDS.find((kind) => kind.name === name) ?? KINDS[KINDS.length - 1]!;
}

export function shareOf(shares: RequestShares, kind: Kind): number {
  return shares[`${kind.name}_ratio`];
}

export function timeOf(times: RequestKindTimes | null, kind: Kind): number | null {
  return times === null || kind.name === 'unknown' ? null : times[`${kind.name}_ns`];
}

/** The parts of a bar. A part's text has its mean time per request, if it is known. */
export function barOf(shares: RequestShares, times: RequestKindTimes | null): BarPart[] {
  return KINDS.filter((kind) => shareOf(shares, kind) > 0).map((kind) => {
    const [ratio, time] = [shareOf(shares, kind), timeOf(times, kind)];
    const value = time === null ? '' : `, ${readable(time, 'nanoseconds')} per request`;
    return { colour: kind.colour, ratio, text: `${kind.title} ${roughPercent(ratio)}${value}` };
  });
}
