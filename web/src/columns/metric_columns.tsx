// Makes table columns from the engine's metric columns, with bars for shares.
import type { JSX } from 'solid-js';
import { comparedColumns } from '../compare/compared_columns';
import type { Column, FunctionRow, Values } from '../engine/answers';
import { cellOf, columnValue, FLAVOUR_MEANINGS, fieldOf, headingOf, languageOf } from '../format/columns';
import { FunctionName, KindMark } from '../parts/parts';
import type { TableColumn } from '../table/virtual_table';

/** `total`: the base of the bars of value columns. */
export function metricColumns<Any extends Values>(columns: readonly Column[], total: Values | undefined): TableColumn<Any>[] {
  if (columns.some((column) => column.part)) return comparedColumns<Any>(columns, total);
  return columns.map((column) => ({
    key: fieldOf(column),
    group: groupOf(column),
    title: headingOf(column),
    width: widthOf(column),
    isNumber: true,
    sort: languageOf(column),
    description: descriptionOf(column),
    cell: (row: Any) => (columnValue(row, column) === 0 ? <span class="dim">{cellOf(row, column)}</span> : cellOf(row, column)),
    ...(hasBar(column, columns) ? { heat: (row: Any) => shareOf(row, column, total) } : {}),
  }));
}

/** `Exclusive CPU in percent: spent in the function itself` */
function descriptionOf(column: Column): string {
  const name = `${groupOf(column)} ${column.title}${column.is_percent ? ' in percent' : ''}`.trim();
  return column.flavour === 'plain' ? name : `${name}: ${FLAVOUR_MEANINGS[column.flavour]}`;
}

/** Widths of headings are estimated, so that columns keep their place while rows change. */
const LETTER_PX = 7.6;
const PADDING_PX = 30;

export function widthOf(column: Column): string {
  const heading = Math.ceil(headingOf(column).length * LETTER_PX + PADDING_PX);
  const [least, most] = column.is_percent ? [72, 88] : [84, 112];
  return `minmax(${Math.max(least, heading)}px, ${Math.max(most, heading)}px)`;
}

/** `Exclusive`, the heading above the name of the metric; empty for a plain column. */
export function groupOf(column: Column): string {
  if (column.flavour === 'plain') return '';
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)}`;
}

/** Each flavour of a metric has one bar: in its percent column if there is one, otherwise in its value column. */
function hasBar(column: Column, columns: readonly Column[]): boolean {
  if (column.is_percent) return true;
  return !columns.some((each) => each.is_percent && each.metric === column.metric && each.flavour === column.flavour);
}

function shareOf(row: Values, column: Column, total: Values | undefined): number {
  const value = columnValue(row, column);
  if (column.is_percent) return value;
  const whole = total ? columnValue(total, column) : 0;
  return whole === 0 ? 0 : value / whole;
}

/** Pixels of the mark of a new or removed row. */
const MARK_PX = 72;
/** Functions with long names and parameters fit mostly. */
export const WIDEST_NAME_PX = 960;
/** Pixels of the square in the colour of the kind. */
const KIND_PX = 16;

/** The column of names: a mark if there is one, then the function's name. */
export function functionColumn<Any extends Pick<FunctionRow, 'function' | 'kind'>>(
  title = 'Function',
  mark?: ((row: Any) => JSX.Element) | undefined,
): TableColumn<Any> {
  return {
    key: 'function',
    title,
    width: 'minmax(280px, 1fr)',
    isName: true,
    widest: WIDEST_NAME_PX,
    sort: 'name',
    cell: (row, _, room) => (
      <span class="with-mark">
        <KindMark kind={row.kind} />
        {mark?.(row)}
        <FunctionName name={row.function} room={room() - KIND_PX - (mark ? MARK_PX : 0)} />
      </span>
    ),
  };
}

/** The value of `sort` for the field by which the engine sorted: `exclusive_cpu_ns` -> `e.cpu`. */
export function sortedWord(columns: readonly Column[], sortedBy: string | undefined): string | null {
  if (sortedBy === undefined) return null;
  if (sortedBy === 'name') return 'name';
  const column = columns.find((each) => fieldOf(each) === sortedBy);
  return column ? languageOf(column) : null;
}
