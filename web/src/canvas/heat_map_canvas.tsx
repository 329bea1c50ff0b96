// A heat map on a canvas: pointer, keyboard, and the selected cell as text for screen readers. Input: the cells' values.
// Output: calls when the user points at a cell or selects a range. The canvas does not depend on the engine or the URL: it
// receives values as text.

import type { JSX } from 'solid-js';
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';
import {
  cellAt,
  cellPlace,
  cellsOfRange,
  type HeatLayout,
  type HeatShape,
  heatLayout,
  movedCell,
  nearestCell,
  rangeOfCells,
  stepOf,
} from './heat_map_layout';
import { sizedContext, watchSize } from './sizes';
import { axisStep, type TimeAxis, type TimeRange } from './time_axis';
import { TimeMarks } from './time_marks';

export interface HeatPalette {
  readonly background: string;
  /** The colour of a cell without a value. */
  readonly nothing: string;
  /** From a little to the most. */
  readonly steps: readonly string[];
  readonly range: string;
  readonly cursor: string;
}

export interface HeatMapCanvasProps {
  readonly label: string;
  readonly shape: HeatShape;
  /** The value of each cell in the order of time. */
  readonly cells: Float64Array;
  /** The largest value. */
  readonly most: number;
  readonly palette: HeatPalette;
  /** The range that is selected for all views. */
  readonly range: TimeRange | undefined;
  readonly describe: (cell: number) => string;
  readonly formatTime: (timeNs: number, stepNs: number) => string;
  /** Called with the width of the cells' area in CSS pixels. */
  readonly onWidth: (width: number) => void;
  readonly onPoint: (cell: number | undefined) => void;
  readonly onRange: (range: TimeRange | undefined) => void;
}

/** Width of the times at the left in pixels. The style sheet has the same value. */
const TIMES_WIDTH = 72;
/** Height of the times at the top in pixels. The style sheet has the same value. */
const AXIS_HEIGHT = 20;
/** A time at the left needs this height. */
const ROW_MARK_HEIGHT = 32;

export function HeatMapCanvas(props: HeatMapCanvasProps): JSX.Element {
  let area!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const size = watchSize(() => area);
  const [cursor, setCursor] = createSignal<number>();
  const [anchor, setAnchor] = createSignal<number>();
  const [pointed, setPointed] = createSignal<number>();
  const [hasFocus, setHasFocus] = createSignal(false);

  const room = createMemo(() => ({
    width: Math.max(size().width - TIMES_WIDTH, 0),
    height: Math.max(size().height - AXIS_HEIGHT, 0),
  }));
  const layout = createMemo<HeatLayout>(() => heatLayout(room(), props.shape));
  const drawn = createMemo(() => ({
    width: layout().cellWidth * props.shape.columns,
    height: layout().cellHeight * props.shape.rows,
  }));
  const axis = createMemo<TimeAxis>(() => ({
    fromNs: 0,
    toNs: props.shape.columns * props.shape.columnNs,
    width: drawn().width,
  }));
  const lastCell = () => props.shape.columns * props.shape.rows - 1;
  /** The cells that the user is selecting. */
  const marked = createMemo<readonly [number, number] | undefined>(() => {
    const [from, to] = [anchor(), cursor()];
    if (from !== undefined && to !== undefined) return [Math.min(from, to), Math.max(from, to) + 1];
    return props.range ? cellsOfRange(props.range, props.shape) : undefined;
  });

  createEffect(() => {
    if (room().width > 0) props.onWidth(room().width);
  });

  createEffect(() => {
    const context = sizedContext(canvas, drawn());
    if (!context) return;
    paint(context, props, layout());
    const range = marked();
    if (range) paintRange(context, range, props, layout());
    const at = pointed() ?? (hasFocus() ? cursor() : undefined);
    if (at !== undefined && at <= lastCell()) paintCursor(context, at, props, layout());
  });

  const place = (event: MouseEvent): readonly [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const point = (cell: number | undefined): void => {
    setPointed(cell);
    props.onPoint(cell ?? cursor());
  };
  const move = (cell: number): void => {
    setCursor(cell);
    setPointed(undefined);
    props.onPoint(cell);
  };
  const select = (from: number, to: number): void => {
    setAnchor(undefined);
    props.onRange(rangeOfCells(from, to, props.shape));
  };

  const startDrag = (down: PointerEvent): void => {
    const start = cellAt(...place(down), props.shape, layout());
    if (down.button !== 0 || start === undefined) return;
    canvas.setPointerCapture(down.pointerId);
    setAnchor(start);
    move(start);
    const drag = (event: PointerEvent): void => move(nearestCell(...place(event), props.shape, layout()));
    const end = (event: PointerEvent): void => {
      canvas.removeEventListener('pointermove', drag);
      canvas.removeEventListener('pointerup', end);
      canvas.removeEventListener('pointercancel', end);
      if (event.type === 'pointerup') select(start, cursor() ?? start);
      else setAnchor(undefined);
    };
    canvas.addEventListener('pointermove', drag);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  };

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const before = cursor();
    const next = movedCell(event.key, before ?? 0, props.shape);
    if (next !== undefined) {
      setAnchor(event.shiftKey ? (anchor() ?? before ?? next) : undefined);
      // The first arrow key only shows where the cursor is.
      move(before === undefined && event.key.startsWith('Arrow') ? 0 : next);
    } else if ((event.key === 'Enter' || event.key === ' ') && before !== undefined) {
      select(anchor() ?? before, before);
    } else if (event.key === 'Backspace' && (anchor() !== undefined || props.range)) {
      if (anchor() === undefined) props.onRange(undefined);
      setAnchor(undefined);
    } else return;
    event.preventDefault();
  };

  /** The rows that have a time at the left, from the bottom. */
  const rowMarks = createMemo(() => {
    const { rows } = props.shape;
    const most = Math.max(Math.floor(drawn().height / ROW_MARK_HEIGHT), 1);
    const step = [1, 2, 5, 10, 25, 50, 100].find((step) => rows / step <= most) ?? rows;
    return Array.from({ length: Math.ceil(rows / step) }, (_, mark) => mark * step);
  });

  return (
    <div
      ref={area}
      class="heat-map"
      tabIndex={0}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.shape.rows}
      aria-colcount={props.shape.columns}
      aria-activedescendant={cursor() === undefined ? undefined : 'heat-map-cell'}
      onKeyDown={press}
      onFocus={() => setHasFocus(true)}
      onBlur={() => setHasFocus(false)}
    >
      <div class="heat-map-axis" aria-hidden="true">
        <TimeMarks axis={axis()} left={TIMES_WIDTH} text={(mark) => props.formatTime(mark, axisStep(axis()))} />
      </div>
      <div class="heat-map-times" aria-hidden="true">
        <For each={rowMarks()}>
          {(row) => (
            <span style={{ top: `${AXIS_HEIGHT + drawn().height - row * layout().cellHeight}px` }}>
              +{props.formatTime((row * props.shape.columnNs) / props.shape.rows, props.shape.columnNs / props.shape.rows)}
            </span>
          )}
        </For>
      </div>
      <canvas
        ref={canvas}
        aria-hidden="true"
        style={{ width: `${drawn().width}px`, height: `${drawn().height}px` }}
        onPointerDown={startDrag}
        onMouseMove={(event) => point(cellAt(...place(event), props.shape, layout()))}
        onMouseLeave={() => point(undefined)}
      />
      <Show when={cursor() !== undefined}>
        <div class="off-screen" role="rowgroup">
          <div role="row" aria-rowindex={(cursor()! % props.shape.rows) + 1}>
            <span
              id="heat-map-cell"
              role="gridcell"
              aria-colindex={Math.floor(cursor()! / props.shape.rows) + 1}
              aria-selected="true"
            >
              {props.describe(cursor()!)}
            </span>
          </div>
        </div>
      </Show>
    </div>
  );
}

/** Draws all cells. Wide cells have a gap, so that neighbours can be counted. */
function paint(context: CanvasRenderingContext2D, of: HeatMapCanvasProps, layout: HeatLayout): void {
  const { shape, cells, palette } = of;
  const { cellWidth, cellHeight } = layout;
  const [gapX, gapY] = [cellWidth > 3 ? 1 : 0, cellHeight > 3 ? 1 : 0];
  context.fillStyle = palette.background;
  context.fillRect(0, 0, shape.columns * cellWidth, shape.rows * cellHeight);
  for (let cell = 0; cell < shape.columns * shape.rows; cell++) {
    const step = stepOf(cells[cell] ?? 0, of.most, palette.steps.length);
    const [left, top] = cellPlace(cell, shape, layout);
    context.fillStyle = step === 0 ? palette.nothing : palette.steps[step - 1]!;
    context.fillRect(left, top, cellWidth - gapX, cellHeight - gapY);
  }
}

/** Draws the selected cells: a frame around the part of each column. */
function paintRange(
  context: CanvasRenderingContext2D,
  [first, end]: readonly [number, number],
  of: HeatMapCanvasProps,
  layout: HeatLayout,
): void {
  const { rows } = of.shape;
  for (let column = Math.floor(first / rows); column * rows < end; column++) {
    const [low, high] = [Math.max(first, column * rows), Math.min(end, (column + 1) * rows) - 1];
    const [left, bottom] = cellPlace(low, of.shape, layout);
    const [, top] = cellPlace(high, of.shape, layout);
    const height = bottom + layout.cellHeight - top;
    context.globalAlpha = 0.25;
    context.fillStyle = of.palette.range;
    context.fillRect(left, top, layout.cellWidth, height);
    context.globalAlpha = 1;
    context.fillRect(left, top, layout.cellWidth, 2);
    context.fillRect(left, top + height - 2, layout.cellWidth, 2);
    if (low === first) context.fillRect(left, top, 2, height);
    if (high === end - 1) context.fillRect(left + layout.cellWidth - 2, top, 2, height);
  }
}

function paintCursor(context: CanvasRenderingContext2D, cell: number, of: HeatMapCanvasProps, layout: HeatLayout): void {
  const [left, top] = cellPlace(cell, of.shape, layout);
  context.strokeStyle = of.palette.cursor;
  context.lineWidth = 2;
  context.strokeRect(left, top, Math.max(layout.cellWidth - 1, 2), Math.max(layout.cellHeight - 1, 2));
}
