// Threads over time: names at the left, a canvas at the right, and a time range that the user can drag. Input: the
// strips of the threads on screen. Output: calls when the user selects a moment or a range. The canvas does not depend
// on the engine or the URL: it receives values as text.

import type { JSX } from 'solid-js';
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';
import { NAME_SPACE } from './name_column';
import { NameDivider } from './name_divider';
import { sizedContext, watchSize } from './sizes';
import { stripPicture } from './strip_picture';
import { axisStep, rangeBetween, type TimeAxis, type TimeRange, xToTime } from './time_axis';
import { TimeMarks } from './time_marks';
import { afterKey, afterWheel } from './time_window';
import { paintMarks, paintStrips, STRIP_HEIGHT, type TimelinePalette, type TimelineStrips } from './timeline_painter';

/** A point in time of one thread. */
export interface Moment {
  /** Position among all threads of the view. */
  readonly thread: number;
  readonly timeNs: number;
}

export interface TimelineCanvasProps {
  readonly label: string;
  /** Content between the axis and the threads. The wheel zooms on it, except on its parts that scroll. */
  readonly above: JSX.Element;
  /** Width of the column of names in pixels. The style sheet gets the same value as `--name-width`. */
  readonly nameWidth: number;
  /** Called when the user moves the edge of the names; `isDone` is true at the end of the movement. */
  readonly onNameWidth: (width: number, isDone: boolean) => void;
  /** Called with the width of names and strips together. */
  readonly onViewWidth: (width: number) => void;
  /** The strips of the threads `firstThread`, `firstThread + 1` …. */
  readonly strips: TimelineStrips;
  readonly firstThread: number;
  readonly threadCount: number;
  readonly fromNs: number;
  readonly toNs: number;
  /** The length of the run. The user can show any part of it. */
  readonly wholeNs: number;
  readonly palette: TimelinePalette;
  readonly hiddenStates: ReadonlySet<string>;
  /** The time to which the cursor moves; each new object is a movement. */
  readonly goTo: { readonly timeNs: number } | undefined;
  /** The range that is selected for all views. */
  readonly range: TimeRange | undefined;
  readonly threadName: (thread: number) => string;
  /** The name of a thread in at most `room` pixels. */
  readonly shortName: (thread: number, room: number) => string;
  /** 1 for a thread below the row of its pool, otherwise 0. */
  readonly depth: (thread: number) => number;
  /** A button at the end of the name. */
  readonly action: (thread: number) => JSX.Element;
  /** Called to show the stack chart of a row. */
  readonly onChart: (thread: number) => void;
  /** Whether a pool is open. Undefined: the row is not a pool. */
  readonly isOpen: (thread: number) => boolean | undefined;
  /** Called to open or close a pool. */
  readonly onOpen: (thread: number) => void;
  /** The states of a thread in a bin, as text. */
  readonly describe: (moment: Moment) => string;
  /** A time as text, with as many digits as times in this distance need. */
  readonly formatTime: (timeNs: number, stepNs: number) => string;
  /** Called with the width of the strips in CSS pixels, and the range of threads on screen. */
  readonly onWindow: (width: number, firstThread: number, endThread: number) => void;
  readonly onPoint: (moment: Moment | undefined) => void;
  readonly onPick: (moment: Moment) => void;
  readonly onRange: (range: TimeRange | undefined) => void;
  /** Called when the user zooms or pans. */
  readonly onShow: (range: TimeRange) => void;
  /** Called to filter all views by this thread. */
  readonly onThread: (thread: number) => void;
  /** Called when the user wants to type a time. */
  readonly onTypeTime: () => void;
}

/** Pixels by which a thread is indented below its pool. */
const INDENT = 14;
/** A shorter drag is a click. */
const SHORTEST_DRAG = 4;
/** Share of the visible time by which an arrow key moves the cursor. */
const CURSOR_STEP = 1 / 200;

export function TimelineCanvas(props: TimelineCanvasProps): JSX.Element {
  let scroller!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const size = watchSize(() => scroller);
  const [scrolled, setScrolled] = createSignal(0);
  const [dragged, setDragged] = createSignal<TimeRange>();
  const [cursor, setCursor] = createSignal<Moment>();

  const axis = createMemo<TimeAxis>(() => ({
    fromNs: props.fromNs,
    toNs: props.toNs,
    width: Math.max(size().width - props.nameWidth, 0),
  }));
  const threads = createMemo<readonly [number, number]>(() => {
    const first = Math.floor(scrolled() / STRIP_HEIGHT);
    return [first, Math.min(props.threadCount, first + Math.ceil(size().height / STRIP_HEIGHT) + 1)];
  });

  createEffect(() => props.onViewWidth(size().width));
  createEffect(() => {
    const [first, end] = threads();
    if (axis().width > 0) props.onWindow(axis().width, first, end);
  });

  const picture = createMemo(() =>
    stripPicture(props.strips, { palette: props.palette, hidden: props.hiddenStates }, globalThis.devicePixelRatio || 1),
  );
  createEffect(() => {
    const { height } = size();
    const { width } = axis();
    const context = sizedContext(canvas, { width, height });
    if (!context) return;
    context.fillStyle = props.palette.background;
    context.fillRect(0, 0, width, height);
    const top = props.firstThread * STRIP_HEIGHT - scrolled();
    paintStrips(context, { strips: props.strips, picture: picture() }, axis(), { palette: props.palette, top, height });
    const marks = { range: dragged() ?? props.range, cursorNs: cursor()?.timeNs };
    paintMarks(context, axis(), height, { palette: props.palette, marks });
  });

  const momentAt = (event: MouseEvent): Moment | undefined => {
    const area = canvas.getBoundingClientRect();
    const thread = Math.floor((event.clientY - area.top + scrolled()) / STRIP_HEIGHT);
    if (thread < 0 || thread >= props.threadCount) return undefined;
    return { thread, timeNs: xToTime(event.clientX - area.left, axis()) };
  };

  const move = (moment: Moment): void => {
    setCursor(moment);
    props.onPoint(moment);
    const top = moment.thread * STRIP_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + STRIP_HEIGHT > scroller.scrollTop + size().height) {
      scroller.scrollTop = top + STRIP_HEIGHT - size().height;
    }
  };

  createEffect(
    on(
      () => props.goTo,
      (to) => {
        if (!to || props.threadCount === 0) return;
        move({ thread: cursor()?.thread ?? threads()[0], timeNs: to.timeNs });
        scroller.focus();
      },
      { defer: true },
    ),
  );

  const startDrag = (down: PointerEvent): void => {
    if (down.button !== 0) return;
    const left = canvas.getBoundingClientRect().left;
    const start = down.clientX - left;
    setDragged(undefined);
    canvas.setPointerCapture(down.pointerId);
    const drag = (event: PointerEvent): void => {
      const x = event.clientX - left;
      if (Math.abs(x - start) >= SHORTEST_DRAG) setDragged(rangeBetween(start, x, axis()));
    };
    const end = (event: PointerEvent): void => {
      canvas.removeEventListener('pointermove', drag);
      canvas.removeEventListener('pointerup', end);
      canvas.removeEventListener('pointercancel', end);
      const range = dragged();
      setDragged(undefined);
      if (range) props.onRange(range);
      else if (event.type === 'pointerup') pick(momentAt(event));
    };
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  };

  const pick = (moment: Moment | undefined): void => {
    if (!moment) return;
    move(moment);
    props.onPick(moment);
  };

  const moved = (key: string): Moment | undefined => {
    const at = cursor() ?? { thread: threads()[0], timeNs: props.fromNs };
    const step = (props.toNs - props.fromNs) * CURSOR_STEP;
    const last = Math.max(props.threadCount - 1, 0);
    switch (key) {
      case 'ArrowUp':
        return { ...at, thread: Math.max(at.thread - 1, 0) };
      case 'ArrowDown':
        return { ...at, thread: Math.min(at.thread + 1, last) };
      case 'ArrowLeft':
        return { ...at, timeNs: Math.round(Math.max(at.timeNs - step, props.fromNs)) };
      case 'ArrowRight':
        return { ...at, timeNs: Math.round(Math.min(at.timeNs + step, props.toNs)) };
      case 'Home':
        return { ...at, timeNs: props.fromNs };
      case 'End':
        return { ...at, timeNs: props.toNs };
      case 'PageDown':
        return { ...at, thread: Math.min(at.thread + 10, last) };
      case 'PageUp':
        return { ...at, thread: Math.max(at.thread - 10, 0) };
      default:
        return undefined;
    }
  };

  /** The start of a range. Shift and arrow keys extend the range. */
  let anchor: number | undefined;

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const before = cursor();
    const shown = afterKey(event.key, axis(), before?.timeNs, props.wholeNs);
    if (shown) {
      event.preventDefault();
      props.onShow(shown);
      return;
    }
    const moment = moved(event.key);
    if (moment) {
      event.preventDefault();
      anchor = event.shiftKey ? (anchor ?? before?.timeNs ?? moment.timeNs) : undefined;
      move(moment);
      setDragged(anchor === undefined ? undefined : ordered(anchor, moment.timeNs));
    } else if (pressOther(event.key)) {
      event.preventDefault();
    }
  };

  const pressOther = (key: string): boolean => {
    const range = dragged();
    const moment = cursor();
    if (key === 'Enter' && range) {
      setDragged(undefined);
      anchor = undefined;
      props.onRange(range);
    } else if ((key === 'Enter' || key === ' ') && moment) {
      props.onPick(moment);
    } else if (key === 'c' && moment) {
      props.onChart(moment.thread);
    } else if (key === 't' && moment) {
      props.onThread(moment.thread);
    } else if (key === 'j') {
      props.onTypeTime();
    } else if (key === 'Backspace' && (range || props.range)) {
      setDragged(undefined);
      if (!range) props.onRange(undefined);
    } else {
      return false;
    }
    return true;
  };

  const turn = (event: WheelEvent): void => {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    const zoomsAlone = event.target instanceof Element && !event.target.closest('.timeline-scroller, .counters');
    const shown = afterWheel(event, { axis: axis(), x, wholeNs: props.wholeNs, zoomsAlone });
    if (!shown) return;
    event.preventDefault();
    props.onShow(shown);
  };

  return (
    <div class="timeline" on:wheel={{ handleEvent: turn, passive: false }}>
      <div class="timeline-axis" aria-hidden="true">
        <TimeMarks axis={axis()} left={props.nameWidth} text={(mark) => props.formatTime(mark, axisStep(axis()))} />
      </div>
      {props.above}
      <NameDivider width={props.nameWidth} onWidth={props.onNameWidth} />
      <div
        ref={scroller}
        class="timeline-scroller"
        tabIndex={0}
        role="grid"
        aria-label={props.label}
        aria-rowcount={props.threadCount}
        aria-activedescendant={cursor() ? `timeline-thread-${cursor()!.thread}` : undefined}
        onScroll={() => setScrolled(scroller.scrollTop)}
        onKeyDown={press}
      >
        <div class="timeline-height" style={{ height: `${props.threadCount * STRIP_HEIGHT}px` }} role="rowgroup">
          <For each={indices(threads())}>
            {(thread) => (
              <div
                id={`timeline-thread-${thread}`}
                role="row"
                aria-rowindex={thread + 1}
                aria-selected={cursor()?.thread === thread}
                class="timeline-name"
                classList={{ 'is-focused': cursor()?.thread === thread }}
                style={{ top: `${thread * STRIP_HEIGHT}px`, height: `${STRIP_HEIGHT}px` }}
              >
                <Show when={props.isOpen(thread) !== undefined}>
                  <span role="gridcell" class="timeline-open">
                    <button
                      type="button"
                      tabIndex={-1}
                      aria-expanded={props.isOpen(thread)}
                      aria-label={`${props.isOpen(thread) ? 'Close' : 'Open'} ${props.threadName(thread)}`}
                      onClick={() => props.onOpen(thread)}
                    >
                      {props.isOpen(thread) ? '▾' : '▸'}
                    </button>
                  </span>
                </Show>
                <span
                  role="gridcell"
                  class="timeline-thread"
                  style={{ 'padding-left': `${props.depth(thread) * INDENT}px` }}
                  title={props.threadName(thread)}
                  onDblClick={() => props.onThread(thread)}
                >
                  {props.shortName(thread, props.nameWidth - NAME_SPACE - props.depth(thread) * INDENT)}
                </span>
                <span role="gridcell" class="timeline-action">
                  {props.action(thread)}
                </span>
                <Show when={cursor()?.thread === thread && cursor()}>
                  {(moment) => (
                    <span role="gridcell" class="off-screen">
                      {props.describe(moment())}
                    </span>
                  )}
                </Show>
              </div>
            )}
          </For>
          <canvas
            ref={canvas}
            aria-hidden="true"
            class="timeline-canvas"
            style={{
              'margin-left': `${props.nameWidth}px`,
              width: `${axis().width}px`,
              height: `${size().height}px`,
            }}
            onPointerDown={startDrag}
            onMouseMove={(event) => props.onPoint(momentAt(event))}
            onMouseLeave={() => props.onPoint(cursor())}
          />
        </div>
      </div>
    </div>
  );
}

function ordered(a: number, b: number): TimeRange {
  return { fromNs: Math.min(a, b), toNs: Math.max(a, b) };
}

function indices([first, end]: readonly [number, number]): number[] {
  return Array.from({ length: Math.max(end - first, 0) }, (_, at) => first + at);
}
