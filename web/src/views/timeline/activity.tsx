// All threads together above the rows: the activity graph of the shown time, and the minimap, which shows the whole run and
// the shown time as a frame.
import { type Accessor, createEffect, createMemo, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { type Activity, mostThreads, paintActivity, paintWindow, roundMark } from '../../canvas/activity';
import { sizedContext } from '../../canvas/sizes';
import { type TimeAxis, type TimeRange, xToTime } from '../../canvas/time_axis';
import { draggedWindow } from '../../canvas/time_window';
import type { TimelinePalette } from '../../canvas/timeline_painter';
import type { TimelineAnswer } from '../../engine/pictures';
import { counted, mean } from '../../format/numbers';
import type { ShownRange } from './shown_range';
import { StackChartButton } from './stack_chart';

const GRAPH_HEIGHT = 64;
const MINIMAP_HEIGHT = 24;
/** The minimap is a rough picture. */
const WHOLE_BINS = 240;

interface Look {
  readonly palette: TimelinePalette;
  readonly hidden: ReadonlySet<string>;
}

/** How many threads are in each state, stacked. Idle threads are left out. */
export function ActivityGraph(
  props: Look & { readonly answer: TimelineAnswer | undefined; readonly axis: TimeAxis },
): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const activity = createMemo(() => activityOf(props.answer));
  const hidden = createMemo(() => withoutIdle(props.hidden));
  const most = createMemo(() => mostThreads(activity(), hidden()));
  const mark = createMemo(() => roundMark(most()));
  const markTop = () => Math.round(GRAPH_HEIGHT * (1 - mark() / most()));
  createEffect(() => {
    const { axis, palette } = props;
    const context = sizedContext(canvas, { width: axis.width, height: GRAPH_HEIGHT });
    if (!context) return;
    paintActivity(context, activity(), { axis, height: GRAPH_HEIGHT, most: most() }, { palette, hidden: hidden() });
    context.fillStyle = palette.line;
    context.fillRect(0, markTop(), axis.width, 1);
  });
  return (
    <div class="activity" style={{ height: `${GRAPH_HEIGHT}px` }}>
      <span class="activity-name">
        All threads <StackChartButton of="all" isSmall />
      </span>
      <Show when={most() > 0}>
        <span class="activity-mark" style={{ top: `${markTop()}px` }}>
          {counted(mark(), 'thread')}
        </span>
      </Show>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`All threads over time: at most ${mean(most())} threads were not idle at once`}
        style={{ width: `${props.axis.width}px`, height: `${GRAPH_HEIGHT}px` }}
      />
    </div>
  );
}

/** The activity and the counters of the whole run, without threads. */
export function useWholeRun(wholeNs: () => number): Accessor<TimelineAnswer | undefined> {
  const app = useApp();
  const asked = app.askBinary(() =>
    wholeNs() === 0 ? null : { ...app.query('timeline'), from_ns: 0, to_ns: wholeNs(), bins: WHOLE_BINS, limit: 0 },
  );
  return asked.answer;
}

/** The whole run. The frame can be dragged. If the whole run is shown, a drag chooses the range to show. */
export function Minimap(
  props: Look & { readonly answer: TimelineAnswer | undefined; readonly shown: ShownRange; readonly width: number },
): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const activity = createMemo(() => activityOf(props.answer));
  const axis = createMemo<TimeAxis>(() => ({ fromNs: 0, toNs: props.shown.wholeNs(), width: props.width }));
  createEffect(() => {
    const context = sizedContext(canvas, { width: props.width, height: MINIMAP_HEIGHT });
    if (!context) return;
    const [{ palette }, area] = [props, { axis: axis(), height: MINIMAP_HEIGHT }];
    const hidden = withoutIdle(props.hidden);
    paintActivity(context, activity(), { ...area, most: mostThreads(activity(), hidden) }, { palette, hidden });
    paintWindow(context, props.shown.range(), area, palette);
  });

  const startDrag = (down: PointerEvent): void => {
    if (down.button !== 0) return;
    const { left } = canvas.getBoundingClientRect();
    const timeAt = (event: PointerEvent) => xToTime(event.clientX - left, axis());
    const [start, downNs] = [props.shown.range(), timeAt(down)];
    const after = (event: PointerEvent): TimeRange => draggedWindow(start, downNs, timeAt(event), props.shown.wholeNs());
    let latest = start;
    canvas.setPointerCapture(down.pointerId);
    const drag = (event: PointerEvent): void => {
      latest = after(event);
      props.shown.move(latest);
    };
    const end = (event: PointerEvent): void => {
      canvas.removeEventListener('pointermove', drag);
      canvas.removeEventListener('pointerup', end);
      canvas.removeEventListener('pointercancel', end);
      props.shown.show(event.type === 'pointerup' ? after(event) : latest);
    };
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  };

  return (
    <div class="activity" style={{ height: `${MINIMAP_HEIGHT}px` }}>
      <span class="activity-name">Whole run</span>
      <canvas
        ref={canvas}
        aria-hidden="true"
        class="minimap"
        style={{ width: `${props.width}px`, height: `${MINIMAP_HEIGHT}px` }}
        onPointerDown={startDrag}
      />
    </div>
  );
}

/** The sums over all threads in an answer. */
export function activityOf(answer: TimelineAnswer | undefined): Activity {
  const header = answer?.header;
  return {
    ns: answer?.arrays.activity ?? new Float32Array(),
    fromNs: header?.from_ns ?? 0,
    binNs: header?.bin_ns ?? 1,
    bins: header?.bins ?? 0,
    states: header?.states.map((state) => state.name) ?? [],
  };
}

function withoutIdle(hidden: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...hidden, 'idle']);
}
