// Fields, headings and texts of metric columns.
import type { Column, Flavour, Values } from '../engine/answers';
import { cell, cellUnit, percentCell } from './numbers';

const SUFFIX: Record<string, string> = { nanoseconds: '_ns', bytes: '_bytes', count: '_count' };

/** The meaning of each flavour, for the help and for the tooltips of headings. */
export const FLAVOUR_MEANINGS: Readonly<Record<Exclude<Flavour, 'plain'>, string>> = {
  exclusive: 'spent in the function itself',
  inclusive: 'spent in the function and in everything that it called',
  attributed: 'the part of the inclusive value that belongs to one caller or callee',
};

const FLAVOUR_LETTER: Record<Flavour, string> = { exclusive: 'e.', inclusive: 'i.', attributed: 'a.', plain: '' };

/** The field that holds a column's value: `exclusive_cpu_ns`, `inclusive_cpu_ratio`, `io_bytes`, `exclusive_cpu_delta`. */
export function fieldOf(column: Pick<Column, 'flavour' | 'metric' | 'unit' | 'is_percent' | 'part'>): string {
  const unit = SUFFIX[column.unit] ?? '';
  // The whole name is needed: alloc_bytes and alloc_count are two metrics.
  if (column.part) return `${column.flavour === 'plain' ? '' : `${column.flavour}_`}${column.metric}_${column.part}`;
  const stem = column.metric.endsWith(unit) ? column.metric.slice(0, column.metric.length - unit.length) : column.metric;
  const flavour = column.flavour === 'plain' ? '' : `${column.flavour}_`;
  return `${flavour}${stem}${column.is_percent ? '_ratio' : unit}`;
}

/** The column in the metric syntax: `e.cpu%`, `e.cpu:delta`. */
export function languageOf(column: Pick<Column, 'flavour' | 'metric' | 'is_percent' | 'part'>): string {
  return `${FLAVOUR_LETTER[column.flavour]}${column.metric}${column.is_percent ? '%' : ''}${column.part ? `:${column.part}` : ''}`;
}

/** `CPU s`, `CPU %`, `System calls` */
export function headingOf(column: Column): string {
  const unit = column.is_percent ? '%' : cellUnit(column.unit);
  return unit === '' ? column.title : `${column.title} ${unit}`;
}

/** A missing value is 0. */
export function columnValue(values: Values, column: Column): number {
  const value = values[fieldOf(column)];
  return typeof value === 'number' ? value : 0;
}

export function cellOf(values: Values, column: Column): string {
  const value = columnValue(values, column);
  return column.is_percent ? percentCell(value) : cell(value, column.unit);
}
