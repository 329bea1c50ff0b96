// The timeline shows what each thread did over time. A dragged range filters every view. A click shows the stack.

import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { type Moment, TimelineCanvas } from '../../canvas/timeline_canvas';
import { type TimelinePalette, type TimelineStrips, timelineSvg } from '../../canvas/timeline_painter';
import type { TimelineHeader, TimelineThread } from '../../engine/answers';
import { counted, percent, readable } from '../../format/numbers';
import { Failure, Notes, Toolbar } from '../../parts/parts';
import { withThread } from '../../state/filter_parts';
import { openPools, withPoolToggled } from '../../state/open_pools';
import { appearance, token } from '../../theme/appearance';
import { STATE_COLOURS } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { Counters } from './counters';
import { StackPane } from './stack_pane';
import './timeline.css';

/** Width of a bin in pixels. Narrower bins cannot be distinguished. */
const BIN_PX = 2;
/** Threads to load beyond those on screen, on either side. */
const MARGIN = 20;
const HIDDEN = 'timeline.hidden';
const OPEN = 'timeline.open';
const SORT = 'timeline.sort';
const FROM = 'timeline.from';
const TO = 'timeline.to';
const SORTS = [
  ['cpu', 'CPU time'],
  ['blocked', 'blocked time'],
  ['start', 'start time'],
  ['name', 'name'],
] as const;

function Timeline(): JSX.Element {
  const app = useApp();
  const [bins, setBins] = createSignal(0);
  const [threads, setThreads] = createSignal({ skip: 0, limit: 60 });
  const [moment, setMoment] = createSignal<{ thread: number; timeNs: number }>();
  const duration = () => app.experiment()?.duration_ns ?? 0;
  const fromNs = () => Number(app.state.options[FROM] ?? 0);
  const toNs = () => Number(app.state.options[TO] ?? duration());
  const hidden = createMemo(() => new Set((app.state.options[HIDDEN] ?? '').split(',').filter(Boolean)));
  const open = createMemo(() => openPools(app.state.options[OPEN]));
  const sort = () => app.state.options[SORT] ?? 'cpu';
  const setOptions = (change: Record<string, string>) => app.navigate({ options: { ...app.state.options, ...change } });

  const asked = app.askBinary(() => {
    if (bins() === 0 || duration() === 0) return null;
    return {
      ...app.query('timeline'),
      from_ns: fromNs(),
      to_ns: toNs(),
      bins: bins(),
      sort: sort(),
      open: open(),
      ...threads(),
    };
  });
  const header = createMemo(() => asked.answer()?.header);
  const strips = createMemo<TimelineStrips>(() => {
    const answer = asked.answer();
    const { header: of } = answer ?? {};
    return {
      ns: meansOf(answer?.arrays.ns ?? new Float32Array(), of),
      binNs: of?.bin_ns ?? 1,
      bins: of?.bins ?? 0,
      threadCount: of?.threads.length ?? 0,
      states: of?.states.map((state) => state.name) ?? [],
    };
  });
  /** Position of the answer's first thread among all threads. */
  const firstThread = () => asked.asked()?.skip ?? 0;

  const threadAt = (thread: number): TimelineThread | undefined => header()?.threads[thread - firstThread()];
  const palette = createMemo<TimelinePalette>(() => {
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
  });

  const describe = (at: Moment): string => {
    const shares = sharesAt(strips(), at, firstThread(), header());
    const words = shares.map(([name, ratio]) => `${titleOf(name)} ${percent(ratio)}`);
    return `at ${readable(at.timeNs, 'nanoseconds')}: ${words.length > 0 ? words.join(', ') : 'the thread did not exist'}`;
  };
  const point = (at: Moment | undefined): void => {
    const thread = at ? threadAt(at.thread) : undefined;
    if (!at || !thread) {
      app.showDetails(null);
      return;
    }
    app.showDetails({
      name: thread.name,
      facts: [
        ...(thread.is_pool ? [`mean of ${counted(thread.threads_count, 'thread')}`] : []),
        thread.class.replaceAll('_', ' '),
        ...(thread.thread_id === null ? [] : [`thread id ${thread.thread_id}`]),
      ],
      values: [
        ['Time', readable(at.timeNs, 'nanoseconds')],
        ...sharesAt(strips(), at, firstThread(), header()).map(([name, ratio]) => [titleOf(name), percent(ratio)] as const),
      ],
    });
  };

  app.offerExport({
    request: () => ({ ...app.query('timeline'), bins: 60 }),
    svg: () =>
      timelineSvg(
        strips(),
        header()?.threads.map(nameOf) ?? [],
        { fromNs: fromNs(), toNs: toNs(), width: bins() * BIN_PX },
        { palette: palette(), hidden: hidden() },
        'Timeline',
      ),
  });

  const onlyThread = ({ name, thread, has_own_name, is_pool }: TimelineThread) => {
    const named = { name, row: thread, hasOwnName: has_own_name, isPool: is_pool };
    app.navigate({ filter: withThread(app.state.filter, named) });
  };
  const toggleOpen = (pool: number) => setOptions({ [OPEN]: withPoolToggled(app.state.options[OPEN], pool) });

  const selectedRange = () => {
    const range = app.timeRange();
    return range ? { fromNs: range.from_ns, toNs: range.to_ns } : undefined;
  };

  return (
    <section class="timeline-view">
      <Toolbar title="Timeline">
        <label>
          Sort threads by{' '}
          <select value={sort()} onChange={(event) => setOptions({ [SORT]: event.currentTarget.value })}>
            <For each={SORTS}>{([name, title]) => <option value={name}>{title}</option>}</For>
          </select>
        </label>
        <Show when={selectedRange()}>
          {(range) => (
            <>
              <span>
                {readable(range().fromNs, 'nanoseconds')} to {readable(range().toNs, 'nanoseconds')} selected
              </span>
              <button type="button" onClick={() => setOptions({ [FROM]: String(range().fromNs), [TO]: String(range().toNs) })}>
                Zoom to the range
              </button>
              <button type="button" onClick={() => app.setTimeRange(null)}>
                Clear
              </button>
            </>
          )}
        </Show>
        <Show when={app.state.options[FROM] || app.state.options[TO]}>
          <button type="button" onClick={() => setOptions({ [FROM]: '', [TO]: '' })}>
            Show the whole timeline
          </button>
        </Show>
        <ul class="legend" aria-label="States. Press a state to hide or show it">
          <For each={header()?.states ?? []}>
            {(state) => (
              <li>
                <button
                  type="button"
                  class="legend-button"
                  aria-pressed={!hidden().has(state.name)}
                  onClick={() => setOptions({ [HIDDEN]: toggled(hidden(), state.name) })}
                >
                  <span
                    class="legend-colour"
                    style={{ background: STATE_COLOURS[state.name]?.[appearance()] ?? 'var(--line)' }}
                  />
                  {titleOf(state.name)}
                </button>
              </li>
            )}
          </For>
        </ul>
      </Toolbar>
      <Show when={asked.error()}>{(error) => <Failure error={error()} />}</Show>
      <Counters answer={asked.answer()} palette={palette()} />
      <TimelineCanvas
        label="Threads over time. Arrow keys move. Shift and arrow keys select a time range. Enter applies the range or shows the stack"
        strips={strips()}
        firstThread={firstThread()}
        threadCount={header()?.row_count ?? 0}
        fromNs={fromNs()}
        toNs={toNs()}
        palette={palette()}
        hiddenStates={hidden()}
        range={selectedRange()}
        threadName={(thread) => {
          const shown = threadAt(thread);
          return shown ? nameOf(shown) : '…';
        }}
        depth={(thread) => threadAt(thread)?.depth ?? 0}
        isOpen={(thread) => {
          const shown = threadAt(thread);
          return shown?.is_pool ? open().includes(shown.thread) : undefined;
        }}
        onOpen={(thread) => {
          const shown = threadAt(thread);
          if (shown) toggleOpen(shown.thread);
        }}
        describe={describe}
        formatTime={(timeNs) => readable(timeNs, 'nanoseconds')}
        onWindow={(width, first, end) => {
          setBins(Math.max(Math.floor(width / BIN_PX), 1));
          setThreads((known) => windowOf(known, first, end));
        }}
        onPoint={point}
        onPick={(at) => {
          const thread = threadAt(at.thread);
          // A pool has no single stack.
          if (thread?.is_pool) toggleOpen(thread.thread);
          else if (thread) setMoment({ thread: thread.thread, timeNs: at.timeNs });
        }}
        onRange={(range) => app.setTimeRange(range ? { from_ns: range.fromNs, to_ns: range.toNs } : null)}
        onThread={(thread) => {
          const chosen = threadAt(thread);
          if (chosen) onlyThread(chosen);
        }}
      />
      <StackPane moment={moment()} onClose={() => setMoment(undefined)} />
      <Notes notes={header()?.notes} />
    </section>
  );
}

/** The threads to request: the loaded ones if they include all threads on screen. */
function windowOf(known: { skip: number; limit: number }, first: number, end: number) {
  if (first >= known.skip && end <= known.skip + known.limit) return known;
  const skip = Math.max(first - MARGIN, 0);
  return { skip, limit: end - skip + MARGIN };
}

/** The name of a row, with the number of threads of a pool. */
function nameOf(thread: TimelineThread): string {
  return thread.is_pool ? `${thread.name} (${counted(thread.threads_count, 'thread')})` : thread.name;
}

/** The times of each row divided by its number of threads: the mean state of a pool. */
function meansOf(ns: Float32Array, header: TimelineHeader | undefined): Float32Array {
  if (!header?.threads.some((thread) => thread.lanes_count > 1)) return ns;
  const perRow = header.states.length * header.bins;
  return ns.map((time, index) => time / (header.threads[Math.floor(index / perRow)]?.lanes_count ?? 1));
}

function titleOf(state: string): string {
  return STATE_COLOURS[state]?.title ?? state.replace(/_/g, ' ');
}

function toggled(set: ReadonlySet<string>, name: string): string {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return [...next].join(',');
}

/** The states of a thread in a bin, with their shares of the bin, largest first. */
function sharesAt(
  strips: TimelineStrips,
  at: Moment,
  firstThread: number,
  header: TimelineHeader | undefined,
): (readonly [string, number])[] {
  const bin = header ? Math.floor((at.timeNs - header.from_ns) / header.bin_ns) : -1;
  const thread = at.thread - firstThread;
  if (thread < 0 || thread >= strips.threadCount || bin < 0) return [];
  const column = Math.min(bin, strips.bins - 1);
  const shares = strips.states.map((name, state) => {
    const ns = strips.ns[(thread * strips.states.length + state) * strips.bins + column] ?? 0;
    return [name, ns / strips.binNs] as const;
  });
  return shares.filter(([, ratio]) => ratio > 0).sort((a, b) => b[1] - a[1]);
}

export const view: ViewDefinition = {
  name: 'timeline',
  title: 'Timeline',
  question: 'What did each thread do, and when?',
  key: 'l',
  order: 80,
  group: 'time',
  missing: (experiment) => {
    if (experiment.comparison) return 'A comparison has no timeline. Open one of its experiments to see its timeline';
    return experiment.duration_ns > 0 ? undefined : 'The experiment has no timeline because its samples have no times';
  },
  component: Timeline,
  keys: [
    ['↑ ↓', 'Go to another thread'],
    ['← →', 'Move in time'],
    ['Shift ← →', 'Select a time range; Enter applies it to all views'],
    ['Enter', 'Show the stack; open or close a pool'],
    ['t', 'Show only this thread or pool in all views'],
    ['Backspace', 'Clear the time range'],
  ],
};
