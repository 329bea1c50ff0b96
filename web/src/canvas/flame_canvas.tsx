// A flame graph on a canvas: scrolling, pointer, keyboard, and a mirror for screen readers. Input: boxes and marks.
// Output: calls when the user points at, selects or opens a box. The canvas does not depend on the engine, the URL or
// metrics: it receives values as text.

import type { JSX } from 'solid-js';
import { batch, createEffect, createMemo, createSignal, For, Show, untrack } from 'solid-js';
import { BoxFlag, type BoxStep, type FlameBoxes, NO_BOXES } from './flame_boxes';
import { type BoxChange, type FlamePalette, type FlameWindow, paintFlame, ROW_HEIGHT, rowAt, rowTop } from './flame_painter';
import { sizedContext, watchSize } from './sizes';

export interface FlameCanvasProps {
  /** A description of the graph for screen readers. */
  readonly label: string;
  readonly boxes: FlameBoxes;
  /** Rows of the whole graph. `boxes` may contain only some of them. */
  readonly rowCount: number;
  readonly isRootLow: boolean;
  readonly isSearching: boolean;
  readonly selected: string | undefined;
  readonly palette: FlamePalette;
  /** The change of each box, in comparisons. */
  readonly change?: BoxChange | undefined;
  /** When this box changes, the canvas moves to it. */
  readonly wanted?: number | undefined;
  /** A box's values in words: `1.203 s, 12.0 % of all`. */
  readonly describe: (box: number) => string;
  /** Called with the width in CSS pixels and one past the last row on screen, whenever they change. */
  readonly onWindow: (width: number, endRow: number) => void;
  readonly onPoint: (box: number | undefined) => void;
  readonly onSelect: (box: number) => void;
  readonly onZoom: (box: number) => void;
  readonly onZoomOut: () => void;
  readonly onMenu: (box: number, place: { x: number; y: number }) => void;
  /** Handles a key that the canvas does not use. Returns true if it has used the key. */
  readonly onKey?: (event: KeyboardEvent, box: number | undefined) => boolean;
}

/** A click hits a box up to this many pixels beyond its sides, so that very narrow boxes can be hit. */
const HIT_TOLERANCE = 1;
/**
 * The mirror contains at most this number of callers, of siblings on each side, and of children of the focused box. A
 * screen reader needs no more.
 */
const MIRROR_LIMIT = 50;
const steps: Readonly<Record<string, BoxStep>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** A box and the answer that contains it. */
interface Pick {
  readonly of: FlameBoxes;
  readonly box: number | undefined;
}
const NOTHING: Pick = { of: NO_BOXES, box: undefined };

/** The box that the user selected last, and its place in the newest answer. */
interface Focus {
  readonly picked: Pick;
  readonly now: Pick;
}

/** Finds the box of the newer answer at the place of an older box. */
function atSamePlace({ of, box }: Pick, boxes: FlameBoxes): Pick {
  if (of === boxes || box === undefined || box >= of.length) return { of: boxes, box: of === boxes ? box : undefined };
  const { row, x, width } = of.arrays;
  return { of: boxes, box: boxes.at(row[box]!, x[box]! + width[box]! / 2) };
}

export function FlameCanvas(props: FlameCanvasProps): JSX.Element {
  let canvas!: HTMLCanvasElement;
  let scroller!: HTMLDivElement;
  const size = watchSize(() => scroller);
  const [scrolled, setScrolled] = createSignal(0);
  const [picked, setPicked] = createSignal(NOTHING);
  const [underPointer, setUnderPointer] = createSignal(NOTHING);
  const [hasFocus, setHasFocus] = createSignal(false);

  const window_ = createMemo<FlameWindow>(() => ({
    ...size(),
    scrolled: scrolled(),
    isRootLow: props.isRootLow,
    rowCount: Math.max(props.rowCount, Math.ceil(size().height / ROW_HEIGHT) * (props.isRootLow ? 1 : 0)),
  }));

  createEffect(() => {
    const { width, height } = size();
    if (width === 0) return;
    const bottom = rowAt(height, window_());
    const top = rowAt(0, window_());
    props.onWindow(width, Math.max(top, bottom) + 1);
  });

  // A graph with its root at the bottom starts scrolled to the bottom.
  createEffect(() => {
    if (props.isRootLow && props.rowCount > 0 && size().height > 0) {
      scroller.scrollTop = scroller.scrollHeight;
    }
  });

  // When the boxes change, the focus stays at its place if a box is there. This is a memo, because an effect would draw
  // the boxes twice.
  const focus = createMemo<Focus>(
    (before) => {
      const newest = picked();
      const last = before.picked === newest ? before.now : newest;
      return { picked: newest, now: atSamePlace(last, props.boxes) };
    },
    { picked: NOTHING, now: NOTHING },
  );
  const focused = () => focus().now.box;
  const pointed = () => (underPointer().of === props.boxes ? underPointer().box : undefined);

  createEffect(() => {
    const context = sizedContext(canvas, size());
    if (!context) return;
    const marks = {
      focused: pointed() ?? (hasFocus() ? focused() : undefined),
      selected: props.selected,
      isSearching: props.isSearching,
      change: props.change,
    };
    paintFlame(context, props.boxes, window_(), { palette: props.palette, marks });
  });

  createEffect(() => {
    if (props.wanted !== undefined) untrack(() => focusOn(props.wanted!));
  });

  const boxAt = (event: MouseEvent): number | undefined => {
    const area = canvas.getBoundingClientRect();
    const { width } = size();
    const row = rowAt(event.clientY - area.top, window_());
    return props.boxes.at(row, (event.clientX - area.left) / width, HIT_TOLERANCE / width);
  };

  const point = (box: number | undefined): void => {
    if (box !== pointed()) {
      setUnderPointer({ of: props.boxes, box });
      props.onPoint(box ?? focused());
    }
  };

  const focusOn = (box: number): void => {
    batch(() => {
      setPicked({ of: props.boxes, box });
      setUnderPointer(NOTHING);
      props.onPoint(box);
    });
    const top = rowTop(props.boxes.arrays.row[box]!, window_());
    if (top < 0) scroller.scrollTop += top;
    else if (top + ROW_HEIGHT > size().height) scroller.scrollTop += top + ROW_HEIGHT - size().height;
  };

  const click = (event: MouseEvent): void => {
    const box = boxAt(event);
    if (box === undefined) return;
    focusOn(box);
    if (event.detail >= 2 || props.boxes.has(box, BoxFlag.joined)) props.onZoom(box);
    else props.onSelect(box);
  };

  const menuAt = (box: number): void => {
    const area = canvas.getBoundingClientRect();
    const { x } = props.boxes.arrays;
    const top = rowTop(props.boxes.arrays.row[box]!, window_());
    props.onMenu(box, { x: area.left + x[box]! * size().width + 8, y: area.top + top + ROW_HEIGHT });
  };

  const stepOf = (key: string): BoxStep | undefined => {
    if (key === 'ArrowUp') return props.isRootLow ? 'child' : 'parent';
    if (key === 'ArrowDown') return props.isRootLow ? 'parent' : 'child';
    return steps[key];
  };

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = focused();
    const step = stepOf(event.key);
    if (step) focusOn(box === undefined ? 0 : props.boxes.step(box, step));
    else if (!pressOther(event, box)) return;
    event.preventDefault();
  };

  const pressOther = (event: KeyboardEvent, box: number | undefined): boolean => {
    switch (event.key) {
      case 'Home':
        if (props.boxes.length > 0) focusOn(0);
        return true;
      case 'Enter':
        if (box !== undefined) props.onZoom(box);
        return true;
      case ' ':
        if (box !== undefined) props.onSelect(box);
        return true;
      case 'Backspace':
        props.onZoomOut();
        return true;
      case 'ContextMenu':
      case 'm':
        if (box !== undefined) menuAt(box);
        return true;
      default:
        return props.onKey?.(event, box) ?? false;
    }
  };

  return (
    <div class="flame" role="presentation" style={{ '--rows': props.rowCount }}>
      <div
        ref={scroller}
        class="flame-scroller"
        tabIndex={0}
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={props.rowCount}
        aria-activedescendant={focused() === undefined ? undefined : `flame-row-${focused()}`}
        onScroll={() => setScrolled(scroller.scrollTop)}
        onKeyDown={press}
        onFocus={() => {
          setHasFocus(true);
          if (focused() === undefined && props.boxes.length > 0) focusOn(0);
        }}
        onBlur={() => setHasFocus(false)}
      >
        <div class="flame-height" style={{ height: `${window_().rowCount * ROW_HEIGHT}px` }}>
          <canvas
            ref={canvas}
            aria-hidden="true"
            style={{ width: `${size().width}px`, height: `${size().height}px` }}
            onMouseMove={(event) => point(boxAt(event))}
            onMouseLeave={() => point(undefined)}
            onClick={click}
            onContextMenu={(event) => {
              const box = boxAt(event);
              if (box === undefined) return;
              event.preventDefault();
              focusOn(box);
              props.onMenu(box, { x: event.clientX, y: event.clientY });
            }}
          />
        </div>
        <Show when={hasFocus()}>
          <FlameMirror boxes={props.boxes} focused={focused()} describe={props.describe} />
        </Show>
      </div>
    </div>
  );
}

/** The boxes around the focus as rows: its path from the root, its siblings and its children. */
function FlameMirror(props: {
  readonly boxes: FlameBoxes;
  readonly focused: number | undefined;
  readonly describe: (box: number) => string;
}): JSX.Element {
  const shown = createMemo(() => (props.focused === undefined ? [] : around(props.boxes, props.focused)));
  return (
    <div class="off-screen" role="rowgroup">
      <For each={shown()}>
        {(box) => (
          <div
            id={`flame-row-${box}`}
            role="row"
            aria-level={props.boxes.arrays.row[box]! + 1}
            aria-rowindex={props.boxes.arrays.row[box]! + 1}
            aria-selected={box === props.focused}
          >
            <span role="gridcell">{props.boxes.name(box)}</span>
            <span role="gridcell">{props.describe(box)}</span>
          </div>
        )}
      </For>
    </div>
  );
}

/** The callers, siblings and children near a box, in the order of rows. */
function around(boxes: FlameBoxes, box: number): number[] {
  const path = [box];
  for (let up = boxes.step(box, 'parent'); up !== path[0]; up = boxes.step(up, 'parent')) path.unshift(up);
  const near = (row: number, left: number, right: number): number[] => {
    const [first, end] = boxes.rowRange(row);
    const { x, width } = boxes.arrays;
    const all = Array.from({ length: end - first }, (_, at) => first + at);
    return all.filter((other) => {
      const middle = x[other]! + width[other]! / 2;
      return middle >= left && middle < right;
    });
  };
  const { row, x, width } = boxes.arrays;
  const parent = path.at(-2) ?? box;
  const siblings = near(row[box]!, x[parent]!, x[parent]! + width[parent]!);
  const children = near(row[box]! + 1, x[box]!, x[box]! + width[box]!);
  const at = siblings.indexOf(box);
  const nearest = siblings.slice(Math.max(at - MIRROR_LIMIT, 0), at + MIRROR_LIMIT + 1);
  return [...new Set([...path.slice(-1 - MIRROR_LIMIT, -1), ...nearest, box, ...children.slice(0, MIRROR_LIMIT)])];
}
