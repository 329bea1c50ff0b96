// The timelines of a comparison: the activity of each run, one above the other. All runs have the same time scale and the
// same scale of threads. Zoom and selected range are common to all runs.
import { type Accessor, createEffect, createMemo, createSignal, For, type JSX, mapArray, Show } from 'solid-js';
import { useApp } from '../../app';
import { type Activity, mostThreads, paintActivity, paintWindow } from '../../canvas/activity';
import { sizedContext, watchSize } from '../../canvas/sizes';
import { axisStep, rangeBetween, type TimeAxis, type TimeRange } from '../../canvas/time_axis';
import { TimeMarks } from '../../canvas/time_marks';
import { afterKey, afterWheel } from '../../canvas/time_window';
import { type ComparedRun, runsOf, withoutSides } from '../../compare/sides';
import type { EngineError } from '../../engine/answer';
import type { ExperimentAnswer } from '../../engine/answers';
import type { TimelineAnswer } from '../../engine/pictures';
import { askBinary, askJson } from '../../engine/use_answer';
import { mean, readable, timeOnAxis } from '../../format/numbers';
import { Toolbar } from '../../parts/parts';
import { joinedFilter } from '../../state/filter_parts';
import { activityOf } from './activity';
import { activityRange, missingWords } from './compared_runs';
import { createRequested, createShownRange, type ShownRange } from './shown_range';
import { timelinePalette } from './strips';
import { Legend } from './toolbar';
import './compared_timeline.css';

const NAME_WIDTH = 136;
const GRAPH_HEIGHT = 96;
const BIN_PX = 2;
/** A shorter drag is a click. */
const SHORTEST_DRAG_PX = 3;

/** One run with its activity in the shown range. */
interface Track {
  readonly experiment: number;
  readonly activity: Accessor<Activity>;
  readonly states: Accessor<readonly { readonly name: string }[]>;
  readonly problem: Accessor<EngineError | undefined>;
  readonly isLoading: Accessor<boolean>;
}

export function ComparedTimeline(): JSX.Element {
  const app = useApp();
  const runs = createMemo(() => runsOf(app.experiments(), app.state.experiment));
  return (
    <Show when={runs().length > 0} fallback={<NoRuns />}>
      <Runs runs={runs()} />
    </Show>
  );
}

function NoRuns(): JSX.Element {
  return (
    <>
      <Toolbar title="Timeline" />
      <p class="missing-view">The timeline needs the compared experiments. Open them with whittle view.</p>
    </>
  );
}

function Runs(props: { readonly runs: readonly ComparedRun[] }): JSX.Element {
  const app = useApp();
  let area!: HTMLElement;
  const size = watchSize(() => area);
  const width = () => Math.max(size().width - NAME_WIDTH, 0);
  const shown = createShownRange(app);
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set(['idle']));
  const [dragged, setDragged] = createSignal<TimeRange>();
  const axis = createMemo<TimeAxis>(() => ({ ...shown.range(), width: width() }));
  const { requested, follow } = createRequested(() => ({ ...shown.range(), bins: Math.floor(width() / BIN_PX) }));
  const tracks = createMemo(
    mapArray(
      () => props.runs.map(({ experiment }) => experiment),
      (number) => trackOf(number, requested),
    ),
  );
  follow(() => tracks().some((track) => track.isLoading()));
  const most = createMemo(() => Math.max(0, ...tracks().map((track) => mostThreads(track.activity(), hidden()))));
  const states = () =>
    tracks()
      .find((track) => track.states().length > 0)
      ?.states() ?? [];
  const selected = (): TimeRange | undefined => {
    const range = app.timeRange();
    return dragged() ?? (range ? { fromNs: range.from_ns, toNs: range.to_ns } : undefined);
  };
  const toggle = (name: string) => {
    const next = new Set(hidden());
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <section class="compared-timeline" ref={area} style={{ '--name-width': `${NAME_WIDTH}px` }}>
      <Toolbar title="Timeline" subtitle="All threads of each run, in time since its start">
        <ZoomButtons shown={shown} selected={selected()} />
        <Legend states={states()} hidden={hidden()} onHide={toggle} />
      </Toolbar>
      <Axis axis={axis()} />
      <div aria-busy={tracks().some((track) => track.isLoading())}>
        <For each={tracks()}>
          {(track, index) => (
            <RunGraph
              run={props.runs[index()]!}
              track={track}
              axis={axis()}
              most={most()}
              hidden={hidden()}
              selected={selected()}
              shown={shown}
              onDrag={setDragged}
            />
          )}
        </For>
      </div>
    </section>
  );
}

/** Requests the activity of a run. */
function trackOf(experiment: number, shown: Accessor<TimeRange & { readonly bins: number }>): Track {
  const app = useApp();
  const source = { engine: app.engine, experiment: () => experiment, generation: () => 0 };
  const facts = askJson<ExperimentAnswer>(source, () => ({ view: 'experiment', mode: app.state.mode }));
  const asked = askBinary<TimelineAnswer>(source, () => {
    const range = activityRange(shown(), facts.answer()?.duration_ns ?? 0);
    const filter = joinedFilter(withoutSides(app.state.filter));
    return range && { view: 'timeline', mode: app.state.mode, filter, ...range, limit: 0 };
  });
  const activity = createMemo(() => activityOf(asked.answer()));
  return {
    experiment,
    activity,
    states: () => asked.answer()?.header.states ?? [],
    problem: () => facts.error() ?? asked.error(),
    isLoading: () => facts.isLoading() || asked.isLoading(),
  };
}

function ZoomButtons(props: { readonly shown: ShownRange; readonly selected: TimeRange | undefined }): JSX.Element {
  const app = useApp();
  const press = (key: string) => {
    const next = afterKey(key, props.shown.range(), undefined, props.shown.wholeNs());
    if (next) props.shown.show(next);
  };
  return (
    <>
      <button type="button" onClick={() => press('w')}>
        Zoom in
      </button>
      <Show when={!props.shown.isWhole()}>
        <button type="button" onClick={() => press('s')}>
          Zoom out
        </button>
        <button type="button" onClick={() => press('a')}>
          Earlier
        </button>
        <button type="button" onClick={() => press('d')}>
          Later
        </button>
        <button type="button" onClick={() => props.shown.show({ fromNs: 0, toNs: props.shown.wholeNs() })}>
          Show the whole timeline
        </button>
      </Show>
      <Show when={props.selected}>
        {(range) => (
          <>
            <span>
              {readable(range().fromNs, 'nanoseconds')} to {readable(range().toNs, 'nanoseconds')} selected
            </span>
            <button type="button" onClick={() => props.shown.show(range())}>
              Zoom to the range
            </button>
            <button type="button" onClick={() => app.setTimeRange(null)}>
              Clear
            </button>
          </>
        )}
      </Show>
    </>
  );
}

function Axis(props: { readonly axis: TimeAxis }): JSX.Element {
  return (
    <div class="timeline-axis compared-axis" aria-hidden="true">
      <TimeMarks axis={props.axis} left={0} text={(mark) => timeOnAxis(mark, axisStep(props.axis))} />
    </div>
  );
}

/** The activity of one run. A drag selects a time range, which filters all views. The wheel zooms and pans all runs. */
function RunGraph(props: {
  readonly run: ComparedRun;
  readonly track: Track;
  readonly axis: TimeAxis;
  readonly most: number;
  readonly hidden: ReadonlySet<string>;
  readonly selected: TimeRange | undefined;
  readonly shown: ShownRange;
  readonly onDrag: (range: TimeRange | undefined) => void;
}): JSX.Element {
  const app = useApp();
  let canvas!: HTMLCanvasElement;
  const palette = createMemo(timelinePalette);
  createEffect(() => {
    const { axis, most, hidden, selected } = props;
    const context = sizedContext(canvas, { width: axis.width, height: GRAPH_HEIGHT });
    if (!context) return;
    const area = { axis, height: GRAPH_HEIGHT };
    paintActivity(context, props.track.activity(), { ...area, most }, { palette: palette(), hidden });
    if (selected) paintWindow(context, selected, area, palette());
  });
  const own = createMemo(() => mostThreads(props.track.activity(), props.hidden));
  const label = () => `${props.run.side}, ${props.run.name}: at most ${mean(own())} threads were in the shown states at once`;

  const startDrag = (down: PointerEvent): void => {
    if (down.button !== 0) return;
    const { left } = canvas.getBoundingClientRect();
    const rangeAt = (event: PointerEvent) => rangeBetween(down.clientX - left, event.clientX - left, props.axis);
    canvas.setPointerCapture(down.pointerId);
    const drag = (event: PointerEvent): void => props.onDrag(rangeAt(event));
    const end = (event: PointerEvent): void => {
      canvas.removeEventListener('pointermove', drag);
      canvas.removeEventListener('pointerup', end);
      canvas.removeEventListener('pointercancel', end);
      props.onDrag(undefined);
      if (event.type !== 'pointerup' || Math.abs(event.clientX - down.clientX) < SHORTEST_DRAG_PX) return;
      const { fromNs, toNs } = rangeAt(event);
      app.setTimeRange({ from_ns: fromNs, to_ns: toNs });
    };
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  };
  const turn = (event: WheelEvent): void => {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    const next = afterWheel(event, { axis: props.axis, x, wholeNs: props.shown.wholeNs(), zoomsAlone: false });
    if (!next) return;
    event.preventDefault();
    props.shown.move(next);
  };
  return (
    <div class="activity" style={{ height: `${GRAPH_HEIGHT}px` }}>
      <div class="activity-name">
        {props.run.side}
        <a
          class="link compared-run"
          title={`The timeline of ${props.run.name} alone`}
          href={app.href({ experiment: props.run.experiment, filter: withoutSides(app.state.filter) })}
        >
          {props.run.name}
        </a>
        <Show when={props.track.problem()}>
          {(problem) => (
            <Show when={missingWords(problem())} fallback={<span role="alert">{problem().message}</span>}>
              {(words) => <span role="status">{words()}</span>}
            </Show>
          )}
        </Show>
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label()}
        class="compared-graph"
        style={{ width: `${props.axis.width}px`, height: `${GRAPH_HEIGHT}px` }}
        onPointerDown={startDrag}
        onWheel={turn}
      />
    </div>
  );
}
