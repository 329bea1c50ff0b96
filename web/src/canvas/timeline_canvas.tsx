// Threads over time: names at the left, a canvas at the right, and a time range that the user can drag. Input: the
// strips of the threads on screen. Output: calls when the user selects a moment or a range. The canvas does not depend
// on the engine or the URL: it receives values as text.

import type { JSX } from 'solid-js';
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';
import { sizedContext, watchSize } from './sizes';
import { axisMarks, rangeBetween, type TimeAxis, type TimeRange, timeToX, xToTime } from './time_axis';
import { paintMarks, paintStrips, STRIP_HEIGHT, type TimelinePalette, type TimelineStrips } from './timeline_painter';

/** A point in time of one thread. */
export interface Moment {
  /** Position among all threads of the view. */
  readonly thread: number;
  readonly timeNs: number;
}

export interface TimelineCanvasProps {
  readonly label: string;
  /** The strips of the threads `firstThread`, `firstThread + 1` …. */
  readonly strips: TimelineStrips;
  readonly firstThread: number;
  readonly threadCount: number;
  readonly fromNs: number;
  readonly toNs: number;
  readonly palette: TimelinePalette;
  readonly hiddenStates: ReadonlySet<string>;
  /** The range that is selected for all views. */
  readonly range: TimeRange | undefined;
  readonly threadName: (thread: number) => string;
  /** 1 for a thread below the row of its pool, otherwise 0. */
  readonly depth: (thread: number) => number;
  /** Whether a pool is open. Undefined: the row is not a pool. */
  readonly isOpen: (thread: number) => boolean | undefined;
  /** Called to open or close a pool. */
  readonly onOpen: (thread: number) => void;
  /** The states of a thread in a bin, as text. */
  readonly describe: (moment: Moment) => string;
  readonly formatTime: (timeNs: number) => string;
  /** Called with the width of the strips in CSS pixels, and the range of threads on screen. */
  readonly onWindow: (width: number, firstThread: number, endThread: number) => void;
  readonly onPoint: (moment: Moment | undefined) => void;
  readonly onPick: (moment: Moment) => void;
  readonly onRange: (range: TimeRange | undefined) => void;
  /** Called to filter all views by this thread. */
  readonly onThread: (thread: number) => void;
}

/** Width of the column of names in pixels. The style sheet has the same value. */
const NAME_WIDTH = 220;
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
    width: Math.max(size().width - NAME_WIDTH, 0),
  }));
  const threads = createMemo<readonly [number, number]>(() => {
    const first = Math.floor(scrolled() / STRIP_HEIGHT);
    return [first, Math.min(props.threadCount, first + Math.ceil(size().height / STRIP_HEIGHT) + 1)];
  });

  createEffect(() => {
    const [first, end] = threads();
    if (axis().width > 0) props.onWindow(axis().width, first, end);
  });

  createEffect(() => {
    const { height } = size();
    const { width } = axis();
    const context = sizedContext(canvas, { width, height });
    if (!context) return;
    context.fillStyle = props.palette.background;
    context.fillRect(0, 0, width, height);
    const top = props.firstThread * STRIP_HEIGHT - scrolled();
    paintStrips(context, props.strips, axis(), { palette: props.palette, hidden: props.hiddenStates, top });
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
    } else if (key === 't' && moment) {
      props.onThread(moment.thread);
    } else if (key === 'Backspace' && (range || props.range)) {
      setDragged(undefined);
      if (!range) props.onRange(undefined);
    } else {
      return false;
    }
    return true;
  };

  return (
    <div class="timeline">
      <div class="timeline-axis" aria-hidden="true">
        <For each={axisMarks(axis())}>
          {(mark) => (
            <span class="timeline-mark" style={{ left: `${NAME_WIDTH + timeToX(mark, axis())}px` }}>
              {props.formatTime(mark)}
            </span>
          )}
        </For>
      </div>
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
                  <button
                    type="button"
                    tabIndex={-1}
                    class="timeline-open"
                    aria-expanded={props.isOpen(thread)}
                    aria-label={`${props.isOpen(thread) ? 'Close' : 'Open'} ${props.threadName(thread)}`}
                    onClick={() => props.onOpen(thread)}
                  >
                    {props.isOpen(thread) ? '▾' : '▸'}
                  </button>
                </Show>
                <span
                  role="gridcell"
                  class="timeline-thread"
                  style={{ 'padding-left': `${props.depth(thread) * INDENT}px` }}
                  title={props.threadName(thread)}
                  onDblClick={() => props.onThread(thread)}
                >
                  {props.threadName(thread)}
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
              'margin-left': `${NAME_WIDTH}px`,
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
