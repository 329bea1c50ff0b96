// The cells of a heat map: which cell has which time and which place. Columns are in the order of time, and the rows of a
// column begin at the bottom. The functions are pure.
import type { TimeRange } from './time_axis';

/** Columns and rows, and the time of a column. Cells are numbered in the order of time. */
export interface HeatShape {
  readonly columns: number;
  readonly rows: number;
  readonly columnNs: number;
}

/** The size of a cell in CSS pixels. */
export interface HeatLayout {
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** Cells of short runs are not wider. */
const WIDEST_CELL = 96;
const TALLEST_CELL = 24;
/** Narrower cells cannot be hit. */
export const NARROWEST_CELL = 5;

/** Cells in whole pixels, because fractions would leave visible seams. */
export function heatLayout(size: { width: number; height: number }, shape: HeatShape): HeatLayout {
  const whole = (pixels: number, count: number, most: number) =>
    Math.min(Math.max(Math.floor(pixels / Math.max(count, 1)), 1), most);
  return {
    cellWidth: whole(size.width, shape.columns, WIDEST_CELL),
    cellHeight: whole(size.height, shape.rows, TALLEST_CELL),
  };
}

/** The cell at a place; undefined outside of the cells. */
export function cellAt(x: number, y: number, shape: HeatShape, layout: HeatLayout): number | undefined {
  const column = Math.floor(x / layout.cellWidth);
  const fromTop = Math.floor(y / layout.cellHeight);
  if (column < 0 || column >= shape.columns || fromTop < 0 || fromTop >= shape.rows) return undefined;
  return column * shape.rows + (shape.rows - 1 - fromTop);
}

/** The cell nearest to a place, for drags that leave the cells. */
export function nearestCell(x: number, y: number, shape: HeatShape, layout: HeatLayout): number {
  const within = (value: number, count: number, pixels: number) => Math.min(Math.max(value, 0), count * pixels - 1);
  const [nearX, nearY] = [within(x, shape.columns, layout.cellWidth), within(y, shape.rows, layout.cellHeight)];
  return cellAt(nearX, nearY, shape, layout) ?? 0;
}

/** Left and top edge of a cell. */
export function cellPlace(cell: number, shape: HeatShape, layout: HeatLayout): readonly [number, number] {
  const row = cell % shape.rows;
  return [Math.floor(cell / shape.rows) * layout.cellWidth, (shape.rows - 1 - row) * layout.cellHeight];
}

/** Start of a cell in nanoseconds. */
export function cellStart(cell: number, shape: HeatShape): number {
  const row = cell % shape.rows;
  return Math.floor(cell / shape.rows) * shape.columnNs + Math.ceil((row * shape.columnNs) / shape.rows);
}

/** The time of two cells and of all cells between them, in either order. */
export function rangeOfCells(a: number, b: number, shape: HeatShape): TimeRange {
  return { fromNs: cellStart(Math.min(a, b), shape), toNs: cellStart(Math.max(a, b) + 1, shape) };
}

/** The cells that overlap a range: the first cell, and one past the last cell. */
export function cellsOfRange(range: TimeRange, shape: HeatShape): readonly [number, number] {
  const cell = (timeNs: number) => {
    const column = Math.floor(timeNs / shape.columnNs);
    return column * shape.rows + Math.floor(((timeNs % shape.columnNs) * shape.rows) / shape.columnNs);
  };
  const count = shape.columns * shape.rows;
  const first = Math.min(Math.max(cell(range.fromNs), 0), count);
  return [first, Math.min(Math.max(cell(range.toNs - 1) + 1, first), count)];
}

/** The colour step of a value: 0 for nothing, `steps` for the most. */
export function stepOf(value: number, most: number, steps: number): number {
  if (value <= 0 || most <= 0) return 0;
  return Math.min(Math.max(Math.ceil((value / most) * steps), 1), steps);
}

/** The cell after an arrow key; undefined for other keys. */
export function movedCell(key: string, cell: number, shape: HeatShape): number | undefined {
  const row = cell % shape.rows;
  const last = shape.columns * shape.rows - 1;
  switch (key) {
    case 'ArrowUp':
      return row + 1 < shape.rows ? cell + 1 : cell;
    case 'ArrowDown':
      return row > 0 ? cell - 1 : cell;
    case 'ArrowLeft':
      return cell >= shape.rows ? cell - shape.rows : cell;
    case 'ArrowRight':
      return cell + shape.rows <= last ? cell + shape.rows : cell;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
