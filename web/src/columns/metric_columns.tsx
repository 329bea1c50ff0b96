// Table columns from the engine's metric columns, with bars for shares.
import type { JSX } from 'solid-js';
import { comparedColumns } from '../compare/compared_columns';
import type { Column, Row, Values } from '../engine/shapes';
import { cellOf, fieldOf, headingOf, languageOf, valueOf } from '../format/columns';
import { FunctionName, KindMark } from '../shell/parts';
import type { TableColumn } from './virtual_table';

/** `total`: what the bars of value columns are a share of. */
export function metricColumns<Any extends Values>(columns: readonly Column[], total: Values | undefined): TableColumn<Any>[] {
  if (columns.some((column) => column.part)) return comparedColumns<Any>(columns, total);
  return columns.map((column) => ({
    key: fieldOf(column),
    group: groupOf(column),
    title: headingOf(column),
    width: widthOf(column),
    isNumber: true,
    sort: languageOf(column),
    description: `${groupOf(column)} ${column.title}${column.is_percent ? ' in percent' : ''}`.trim(),
    cell: (row: Any) => (valueOf(row, column) === 0 ? <span class="dim">{cellOf(row, column)}</span> : cellOf(row, column)),
    ...(hasBar(column, columns) ? { heat: (row: Any) => shareOf(row, column, total) } : {}),
  }));
}

/** Widths of headings are estimated, so that columns stand still while rows come and go. */
const LETTER_PX = 7.6;
const PADDING_PX = 30;

export function widthOf(column: Column): string {
  const heading = Math.ceil(headingOf(column).length * LETTER_PX + PADDING_PX);
  const [least, most] = column.is_percent ? [72, 88] : [84, 112];
  return `minmax(${Math.max(least, heading)}px, ${Math.max(most, heading)}px)`;
}

function groupOf(column: Column): string {
  if (column.flavour === 'plain') return '';
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)}`;
}

/** One bar for a flavour of a metric: in its percent column, where there is one. */
function hasBar(column: Column, columns: readonly Column[]): boolean {
  if (column.is_percent) return true;
  return !columns.some((each) => each.is_percent && each.metric === column.metric && each.flavour === column.flavour);
}

function shareOf(row: Values, column: Column, total: Values | undefined): number {
  const value = valueOf(row, column);
  if (column.is_percent) return value;
  const whole = total ? valueOf(total, column) : 0;
  return whole === 0 ? 0 : value / whole;
}

/** The last column: the function's name, and what `mark` puts before it, where columns of comparisons leave less room. */
export function functionColumn<Any extends Pick<Row, 'function' | 'kind'>>(title = 'Function', mark?: ((row: Any) => JSX.Element) | undefined): TableColumn<Any> {
  return {
    key: 'function',
    title,
    width: 'minmax(280px, 1fr)',
    sort: 'name',
    cell: (row) => (
      <span class="with-mark">
        <KindMark kind={row.kind} />
        {mark?.(row)}
        <FunctionName name={row.function} packageLength={mark ? 8 : 28} />
      </span>
    ),
  };
}

/** The sort word of the field that the engine says it sorted by: `exclusive_cpu_ns` -> `e.cpu`. */
export function sortedWord(columns: readonly Column[], sortedBy: string | undefined): string | null {
  if (sortedBy === undefined) return null;
  if (sortedBy === 'name') return 'name';
  const column = columns.find((each) => fieldOf(each) === sortedBy);
  return column ? languageOf(column) : null;
}
