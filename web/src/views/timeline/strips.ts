// What the canvas shows of an answer: strips, names, colours, and the states of a moment. The functions are pure, except the
// colours, which follow the theme.
import { middleCut } from '../../canvas/name_column';
import type { Moment } from '../../canvas/timeline_canvas';
import type { TimelinePalette, TimelineStrips } from '../../canvas/timeline_painter';
import type { TimelineThread } from '../../engine/answers';
import type { TimelineAnswer } from '../../engine/pictures';
import { counted } from '../../format/numbers';
import { appearance, token } from '../../theme/appearance';
import { STATE_COLOURS } from '../../theme/colours';

export function stripsOf(answer: TimelineAnswer | undefined): TimelineStrips {
  const header = answer?.header;
  return {
    ns: answer?.arrays.ns ?? new Float32Array(),
    lanes: header?.threads.map((thread) => thread.lanes_count) ?? [],
    fromNs: header?.from_ns ?? 0,
    binNs: header?.bin_ns ?? 1,
    bins: header?.bins ?? 0,
    threadCount: header?.threads.length ?? 0,
    states: header?.states.map((state) => state.name) ?? [],
  };
}

/** The states of a thread in the bin of a moment, each with its share of the bin, largest first. */
export function sharesAt(strips: TimelineStrips, at: Moment, firstThread: number): (readonly [string, number])[] {
  const thread = at.thread - firstThread;
  const bin = Math.floor((at.timeNs - strips.fromNs) / strips.binNs);
  if (thread < 0 || thread >= strips.threadCount || bin < 0) return [];
  const column = Math.min(bin, strips.bins - 1);
  const fullNs = strips.binNs * strips.lanes[thread]!;
  const shares = strips.states.map((name, state) => {
    const ns = strips.ns[(thread * strips.states.length + state) * strips.bins + column] ?? 0;
    return [name, ns / fullNs] as const;
  });
  return shares.filter(([, ratio]) => ratio > 0).sort((a, b) => b[1] - a[1]);
}

/** The name of a row, with its number of threads. */
export function nameOf(thread: TimelineThread): string {
  if (thread.is_idle_row) return counted(thread.threads_count, 'idle thread');
  return thread.is_pool || thread.is_group ? `${thread.name} (${counted(thread.threads_count, 'thread')})` : thread.name;
}

/** The name of a row in at most `room` pixels: `http…exec-# (60)`. The number of threads stays complete. */
export function shortNameOf(thread: TimelineThread, room: number, measure: (text: string) => number): string {
  const full = nameOf(thread);
  if (!(thread.is_pool || thread.is_group) || measure(full) <= room) return middleCut(full, room, measure);
  const count = ` (${thread.threads_count})`;
  return middleCut(thread.name, room - measure(count), measure) + count;
}

export function titleOf(state: string): string {
  return STATE_COLOURS[state]?.title ?? state.replace(/_/g, ' ');
}

/** The colours of the theme. Reactive. */
export function timelinePalette(): TimelinePalette {
  const look = appearance();
  const states = Object.entries(STATE_COLOURS).map(([name, colours]) => [name, colours[look]] as const);
  return {
    background: token('--paper'),
    line: token('--line'),
    states: Object.fromEntries(states),
    range: token('--accent'),
    cursor: token('--ink'),
    counter: token('--accent'),
  };
}
