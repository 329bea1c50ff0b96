// Values of columns in words, for the details strip: a value and its percentage become one text.
import type { Column, Values } from '../engine/shapes';
import { cellOf, valueOf } from '../format/columns';
import { withUnit } from '../format/numbers';

/** `['Inclusive CPU', '9.118 s (91.44 %)']` for each flavour and metric among the columns. */
export function describeValues(columns: readonly Column[], values: Values): [title: string, value: string][] {
  const described: [string, string][] = [];
  for (const column of columns) {
    if (column.is_percent) continue;
    const share = columns.find((each) => each.is_percent && each.metric === column.metric && each.flavour === column.flavour);
    const value = withUnit(valueOf(values, column), column.unit);
    described.push([titleOf(column), share ? `${value} (${cellOf(values, share)} %)` : value]);
  }
  return described;
}

export function titleOf(column: Pick<Column, 'flavour' | 'title'>): string {
  if (column.flavour === 'plain') return column.title;
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)} ${column.title}`;
}
