// Values of columns as text for the details strip. A value and its percentage become one text.

import { describeChanges } from '../compare/words';
import type { Column, Values } from '../engine/answers';
import { cellOf, columnValue } from '../format/columns';
import { withUnit } from '../format/numbers';

/** `['Inclusive CPU', '9.118 s (91.44 %)']` for each flavour and metric among the columns. */
export function describeValues(columns: readonly Column[], values: Values): [title: string, value: string][] {
  if (columns.some((column) => column.part)) return describeChanges(columns, values);
  const described: [string, string][] = [];
  for (const column of columns) {
    if (column.is_percent) continue;
    const share = columns.find((each) => each.is_percent && each.metric === column.metric && each.flavour === column.flavour);
    const value = withUnit(columnValue(values, column), column.unit);
    described.push([titleOf(column), share ? `${value} (${cellOf(values, share)} %)` : value]);
  }
  return described;
}

/** `. 100 % is 9.971 s CPU of all shown samples`. Empty without a percent column. */
export function baseOf(columns: readonly Column[], total: Values, what: string): string {
  const metrics = columns.filter(
    (column, index) =>
      column.is_percent && columns.findIndex((each) => each.is_percent && each.metric === column.metric) === index,
  );
  if (metrics.length === 0) return '';
  const bases = metrics.map((column) => {
    const base = { ...column, is_percent: false };
    return `${withUnit(columnValue(total, base), column.unit)} ${column.title}`;
  });
  return bases.every((base) => !base.startsWith('0.000')) ? `. 100 % is ${bases.join(', ')} ${what}` : '';
}

export function titleOf(column: Pick<Column, 'flavour' | 'title'>): string {
  if (column.flavour === 'plain') return column.title;
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)} ${column.title}`;
}
