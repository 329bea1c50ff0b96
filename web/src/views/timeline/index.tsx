// The timeline shows what each thread did over time. A dragged range filters every view. A click shows the stack.

import { createEffect, createMemo, createSignal, type JSX, on, Show } from 'solid-js';
import { useApp } from '../../app';
import type { TimeAxis, TimeRange } from '../../canvas/time_axis';
import { rangeAround } from '../../canvas/time_window';
import { type Moment, TimelineCanvas } from '../../canvas/timeline_canvas';
import { timelineSvg } from '../../canvas/timeline_painter';
import { comparisonOf } from '../../compare/use_comparison';
import type { TimelineThread } from '../../engine/answers';
import { counted, percent, timeOnAxis } from '../../format/numbers';
import { Failure, Notes } from '../../parts/parts';
import { withThread } from '../../state/filter_parts';
import { openPools, withPoolToggled } from '../../state/open_pools';
import type { ViewDefinition } from '../../view';
import { ActivityGraph, Minimap, useWholeRun } from './activity';
import { ComparedTimeline } from './compared_timeline';
import { Counters } from './counters';
import { EventPane, type LaneEvent } from './event_pane';
import { GROUP, groupBy } from './group_by';
import { Lanes, TrackBand } from './lanes';
import { createNameWidth } from './name_width';
import { NoteMarks } from './note_marks';
import { ChosenPicture } from './picture_switch';
import { createRequested, createShownRange } from './shown_range';
import { CHART_KEYS, StackChart, StackChartButton, useStackChart } from './stack_chart';
import { StackPane } from './stack_pane';
import { nameOf, sharesAt, shortNameOf, stripsOf, timelinePalette, titleOf } from './strips';
import './timeline.css';
import { TimelineToolbar } from './toolbar';

/** Width of a bin in pixels. Narrower bins cannot be distinguished. */
const BIN_PX = 2;
/** Threads to load beyond those on screen, on either side. */
const MARGIN = 20;
/** Length of the range around a typed time. A stop or a wait of 10 ms is wide enough to see. A shorter range keeps its length. */
const MOMENT_SHOWN_NS = 1e9;
const HIDDEN = 'timeline.hidden';
const OPEN = 'timeline.open';
const SORT = 'timeline.sort';
const NAMED = 'timeline.named';
/** The names of open groups by process, state or package, in lines. A name can have any other character. */
const OPEN_GROUPS = 'timeline.groups';
/** Whether the row of idle threads is open. */
const IDLE = 'timeline.idle';

function Timeline(): JSX.Element {
  const app = useApp();
  const [width, setWidth] = createSignal(0);
  const [viewWidth, setViewWidth] = createSignal(0);
  const bins = () => Math.floor(width() / BIN_PX);
  const [threads, setThreads] = createSignal({ skip: 0, limit: 60 });
  const [moment, setMoment] = createSignal<{ thread: number; timeNs: number }>();
  const [marked, setMarked] = createSignal<TimeRange>();
  const [event, setEvent] = createSignal<LaneEvent>();
  const [goTo, setGoTo] = createSignal<{ timeNs: number }>();
  const shown = createShownRange(app);
  const axis = createMemo<TimeAxis>(() => ({ ...shown.range(), width: width() }));
  const { requested, follow } = createRequested(() => ({ ...shown.range(), bins: bins() }));
  const hidden = createMemo(() => new Set((app.state.options[HIDDEN] ?? '').split(',').filter(Boolean)));
  const open = createMemo(() => openPools(app.state.options[OPEN]));
  const openGroups = createMemo(() => (app.state.options[OPEN_GROUPS] ?? '').split('\n').filter(Boolean));
  const sort = () => app.state.options[SORT] ?? 'cpu';
  const named = () => app.state.options[NAMED] ?? '';
  const isIdleOpen = () => app.state.options[IDLE] === 'open';
  const setOptions = (change: Record<string, string>) => app.navigate({ options: { ...app.state.options, ...change } });

  const asked = app.askBinary(() => {
    const { fromNs, toNs, bins } = requested();
    // Before the experiment is known, the range is empty.
    if (bins === 0 || toNs <= fromNs) return null;
    return {
      ...app.query('timeline'),
      from_ns: fromNs,
      to_ns: toNs,
      bins,
      sort: sort(),
      open: open(),
      group_by: groupBy(app),
      open_groups: openGroups(),
      named: named(),
      idle: isIdleOpen() ? 'open' : 'closed',
      ...threads(),
    };
  });
  follow(asked.isLoading);
  const whole = useWholeRun(shown.wholeNs);
  const header = createMemo(() => asked.answer()?.header);
  const names = createNameWidth(app, () => header()?.threads.map(nameOf) ?? [], viewWidth);
  const strips = createMemo(() => stripsOf(asked.answer()));
  const palette = createMemo(timelinePalette);
  /** Position of the answer's first thread among all threads. */
  const firstThread = () => asked.asked()?.skip ?? 0;
  const threadAt = (thread: number): TimelineThread | undefined => header()?.threads[thread - firstThread()];

  const timeText = (at: Moment) => timeOnAxis(at.timeNs, strips().binNs);
  const statesAt = (at: Moment) =>
    sharesAt(strips(), at, firstThread()).map(([name, ratio]) => [titleOf(name), percent(ratio)] as const);
  const describe = (at: Moment): string => {
    const words = statesAt(at).map(([title, share]) => `${title} ${share}`);
    return `at ${timeText(at)}: ${words.length > 0 ? words.join(', ') : 'the thread did not exist'}`;
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
        ...(thread.threads_count > 1 ? [`mean of ${counted(thread.threads_count, 'thread')}`] : []),
        thread.class.replaceAll('_', ' '),
        ...(thread.thread_id === null ? [] : [`thread id ${thread.thread_id}`]),
      ],
      values: [['Time', timeText(at)], ...statesAt(at)],
    });
  };

  app.offerExport({
    request: () => ({ ...app.query('timeline'), bins: 60, group_by: groupBy(app) }),
    svg: () =>
      timelineSvg(strips(), header()?.threads.map(nameOf) ?? [], axis(), { palette: palette(), hidden: hidden() }, 'Timeline'),
  });

  const onlyThread = ({ name, thread, has_own_name, is_pool }: TimelineThread) => {
    const named = { name, row: thread, hasOwnName: has_own_name, isPool: is_pool };
    app.navigate({ filter: withThread(app.state.filter, named) });
  };
  const showChart = useStackChart();
  /** Opens or closes a pool, a group or the row of idle threads. */
  const toggleOpen = ({ thread, name, is_idle_row, is_group }: TimelineThread) => {
    if (is_idle_row) setOptions({ [IDLE]: isIdleOpen() ? '' : 'open' });
    else if (is_group) setOptions({ [OPEN_GROUPS]: toggled(new Set(openGroups()), name, '\n') });
    else setOptions({ [OPEN]: withPoolToggled(app.state.options[OPEN], thread) });
  };

  // There is room for one pane: that of a moment, or that of a stop or a request.
  const pickMoment = (picked: { thread: number; timeNs: number }): void => {
    setEvent(undefined);
    setMoment(picked);
  };
  const pickEvent = (picked: LaneEvent): void => {
    setMoment(undefined);
    setEvent(picked);
  };
  createEffect(
    on(
      () => app.state.experiment,
      () => setEvent(undefined),
      { defer: true },
    ),
  );

  let timeField: HTMLInputElement | undefined;
  const goToTime = (timeNs: number): void => {
    const { fromNs, toNs } = shown.range();
    shown.show(rangeAround({ fromNs: timeNs, toNs: timeNs }, Math.min(toNs - fromNs, MOMENT_SHOWN_NS), shown.wholeNs()));
    setGoTo({ timeNs });
  };

  const selectedRange = () => {
    const range = app.timeRange();
    return range ? { fromNs: range.from_ns, toNs: range.to_ns } : undefined;
  };

  return (
    <section class="timeline-view" style={{ '--name-width': `${names.width()}px` }}>
      <TimelineToolbar
        header={header()}
        named={named()}
        onNamed={(text) => app.navigate({ options: { ...app.state.options, [NAMED]: text } }, { replace: named() !== '' })}
        sort={sort()}
        onSort={(name) => setOptions({ [SORT]: name })}
        onGroup={(name) => setOptions({ [GROUP]: name, [OPEN_GROUPS]: '' })}
        selected={selectedRange()}
        shown={shown}
        onTime={goToTime}
        onTimeField={(field) => {
          timeField = field;
        }}
        hidden={hidden()}
        onHide={(state) => setOptions({ [HIDDEN]: toggled(hidden(), state) })}
      />
      <Show when={asked.error()}>{(error) => <Failure error={error()} />}</Show>
      <Minimap answer={whole()} shown={shown} width={width()} palette={palette()} hidden={hidden()} />
      <NoteMarks axis={{ ...shown.range(), width: width() }} />
      <TimelineCanvas
        label="Threads over time. Arrow keys move. W and S zoom, A and D pan. Shift and arrow keys select a time range. Enter applies the range or shows the stack"
        above={
          <>
            <Counters answer={asked.answer()} whole={whole()} axis={axis()} palette={palette()} />
            <ActivityGraph answer={asked.answer()} axis={axis()} palette={palette()} hidden={hidden()} />
            <Lanes axis={axis()} onMark={setMarked} onPick={pickEvent} />
            <TrackBand range={marked() ?? event()?.range} axis={axis()} />
          </>
        }
        nameWidth={names.width()}
        onNameWidth={names.change}
        onViewWidth={setViewWidth}
        strips={strips()}
        firstThread={firstThread()}
        threadCount={header()?.row_count ?? 0}
        fromNs={shown.range().fromNs}
        toNs={shown.range().toNs}
        wholeNs={shown.wholeNs()}
        palette={palette()}
        hiddenStates={hidden()}
        goTo={goTo()}
        range={selectedRange()}
        threadName={(thread) => {
          const shown = threadAt(thread);
          return shown ? nameOf(shown) : '…';
        }}
        shortName={(thread, room) => {
          const shown = threadAt(thread);
          return shown ? shortNameOf(shown, room, names.measure) : '…';
        }}
        depth={(thread) => threadAt(thread)?.depth ?? 0}
        action={(thread) => <Show when={threadAt(thread)}>{(row) => <StackChartButton of={row()} isSmall />}</Show>}
        onChart={(thread) => {
          const row = threadAt(thread);
          if (row) showChart(row);
        }}
        isOpen={(thread) => {
          const shown = threadAt(thread);
          if (shown?.is_idle_row) return isIdleOpen();
          if (shown?.is_group) return openGroups().includes(shown.name);
          return shown?.is_pool ? open().includes(shown.thread) : undefined;
        }}
        onOpen={(thread) => {
          const shown = threadAt(thread);
          if (shown) toggleOpen(shown);
        }}
        describe={describe}
        formatTime={timeOnAxis}
        onWindow={(newWidth, first, end) => {
          setWidth(newWidth);
          setThreads((known) => windowOf(known, first, end));
        }}
        onPoint={point}
        onPick={(at) => {
          const thread = threadAt(at.thread);
          // A row of several threads has no single stack.
          if (thread?.is_pool || thread?.is_idle_row || thread?.is_group) toggleOpen(thread);
          else if (thread) pickMoment({ thread: thread.thread, timeNs: at.timeNs });
        }}
        onShow={shown.move}
        onRange={(range) => app.setTimeRange(range ? { from_ns: range.fromNs, to_ns: range.toNs } : null)}
        onThread={(thread) => {
          const chosen = threadAt(thread);
          if (chosen && !chosen.is_idle_row && !chosen.is_group) onlyThread(chosen);
        }}
        onTypeTime={() => timeField?.focus()}
      />
      <StackPane moment={moment()} onClose={() => setMoment(undefined)} />
      <EventPane event={event()} onClose={() => setEvent(undefined)} />
      <StackChart />
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

function toggled(set: ReadonlySet<string>, name: string, mark = ','): string {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return [...next].join(mark);
}

export const view: ViewDefinition = {
  name: 'timeline',
  title: 'Timeline',
  question: 'What did each thread do, and when?',
  key: 'l',
  order: 80,
  group: 'time',
  missing: (experiment) => {
    return experiment.duration_ns > 0 ? undefined : 'The experiment has no timeline because its samples have no times';
  },
  component: () => (
    <Show when={comparisonOf(useApp())} fallback={<ChosenPicture strips={Timeline} />}>
      <ComparedTimeline />
    </Show>
  ),
  keys: [
    ['↑ ↓', 'Go to another thread'],
    ['← →', 'Move in time'],
    ['w s', 'Zoom in or out at the moment; also the wheel with Ctrl'],
    ['a d', 'Show earlier or later times; also the wheel with Shift'],
    ['Shift ← →', 'Select a time range; Enter applies it to all views'],
    ['Enter', 'Show the stack; open or close a group'],
    ...CHART_KEYS,
    ['/', 'Find threads'],
    ['j', 'Type a time, such as 12.3; Enter goes to it'],
    ['t', 'Show only this thread or pool in all views'],
    ['Backspace', 'Clear the time range'],
  ],
};
