// The bars of the time breakdown: parts with their share, colour and link. Input: the overview's `time_breakdown`.
import type { KnownMetric, TimeBreakdown } from '../../engine/answers';
import { readable, roughPercent } from '../../format/numbers';
import type { AppState } from '../../state/app_state';
import type { StateChange } from '../../state/change';
import { FRAME_KINDS, lineColour } from '../../theme/colours';

export interface BreakdownPart {
  title: string;
  /** 0 to 1 */
  ratio: number;
  /** The share and the value: `41 %, 5.1 s`. */
  value: string;
  /** A CSS value for `background`. */
  colour: string;
  /** The view of the part's samples. */
  change: StateChange;
}

export interface BreakdownBar {
  title: string;
  /** What 100 % is. */
  whole: string;
  parts: readonly BreakdownPart[];
}

/** Meanings of waits with their own part. The colours of more lines are hard to distinguish. */
const MOST_WAITS = 6;

/** The kind of frame with the owner's colour. The colours of kinds can be distinguished without colour vision. */
const OWNER_KINDS: Readonly<Record<string, (typeof FRAME_KINDS)[number]['name']>> = {
  own: 'jit',
  library: 'inlined',
  jdk: 'interpreted',
  native: 'native',
  jvm: 'jvm',
  gc: 'stub',
  jit: 'c1',
  kernel: 'kernel',
  unknown: 'pseudo',
};
/** The code of these owners is visible in the view mode `user`. */
const IN_USER_MODE = ['own', 'library', 'jdk'];

const CPU: KnownMetric = 'cpu';

type Shown = Pick<AppState, 'mode' | 'filter'>;

/** The bars with parts. `hasOffCpu`: the experiment has the metric of waits. */
export function breakdownBars(of: TimeBreakdown, state: Shown, hasOffCpu: boolean): BreakdownBar[] {
  return [codeBar(of, state), waitBar(of, state, hasOffCpu)].filter((bar) => bar.parts.length > 0);
}

function codeBar(of: TimeBreakdown, state: Shown): BreakdownBar {
  const { column } = of;
  const value = (amount: number, ratio: number) => `${roughPercent(ratio)}, ${readable(amount, column.unit)}`;
  return {
    title: `${column.title} by code`,
    whole: `100 % is ${readable(of.total, column.unit)}: the ${column.title} of all shown samples`,
    parts: of.code.map(({ owner, words, amount, ratio }) => ({
      title: words,
      ratio,
      value: value(amount, ratio),
      colour: kindColour(OWNER_KINDS[owner] ?? 'pseudo'),
      change: {
        // CPU time is the experiment's first metric, with the usual columns.
        ...ranked(column.metric === CPU ? null : column.metric),
        filter: withPart(state.filter, `code is ${owner}`),
        mode: IN_USER_MODE.includes(owner) ? state.mode : 'machine',
      },
    })),
  };
}

function waitBar(of: TimeBreakdown, state: Shown, hasOffCpu: boolean): BreakdownBar {
  const value = (duration: number, ratio: number) => `${roughPercent(ratio)}, ${readable(duration, 'nanoseconds')}`;
  const shown = of.waits.length > MOST_WAITS ? of.waits.slice(0, MOST_WAITS - 1) : of.waits;
  const parts: BreakdownPart[] = shown.map(({ meaning, words, duration_ns, ratio }, index) => ({
    title: words,
    ratio,
    value: value(duration_ns, ratio),
    colour: lineColour(index),
    change: hasOffCpu
      ? { ...ranked('off_cpu' satisfies KnownMetric), filter: withPart(state.filter, `wait is ${meaning}`) }
      : { view: 'threads' },
  }));
  const others = of.waits.slice(shown.length);
  if (others.length > 0) {
    const sum = (take: (wait: TimeBreakdown['waits'][number]) => number) => others.reduce((all, each) => all + take(each), 0);
    const [ratio, duration] = [sum((wait) => wait.ratio), sum((wait) => wait.duration_ns)];
    parts.push({
      title: `${others.length} other reasons`,
      ratio,
      value: value(duration, ratio),
      colour: 'var(--line-strong)',
      change: { view: 'threads' },
    });
  }
  const source = of.are_waits_counted ? 'counted by the kernel and divided by samples' : 'from samples';
  const idle = of.idle_ns > 0 ? `. Idle threads waited ${readable(of.idle_ns, 'nanoseconds')} more` : '';
  return {
    title: 'Waits by reason',
    whole: `100 % is ${readable(of.waits_ns, 'nanoseconds')}: the waits of all threads that are not idle, ${source}${idle}`,
    parts,
  };
}

/** The table of functions, sorted by a metric. */
function ranked(metric: string | null): StateChange {
  return { view: 'functions', metric, columns: null, sort: null };
}

function withPart(filter: readonly string[], part: string): string[] {
  return filter.includes(part) ? [...filter] : [...filter, part];
}

function kindColour(name: string): string {
  const kind = FRAME_KINDS.find((each) => each.name === name) ?? FRAME_KINDS[0];
  return `light-dark(${kind.light}, ${kind.dark})`;
}
