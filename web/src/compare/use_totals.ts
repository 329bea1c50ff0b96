// What all samples that the filter leaves cost on both sides: what absolute changes in a flame graph are measured by, zoomed
// or not.
import { type Accessor, createMemo } from 'solid-js';
import type { App } from '../app';
import type { Table } from '../engine/shapes';
import type { Totals } from './change';
import { comparisonOf } from './use_comparison';
import { comparedMetricsOf, sidesOf } from './words';

/** Undefined until it is known, and outside of comparisons. */
export function useTotals(app: App): Accessor<Totals | undefined> {
  const asked = app.ask<Table>(() => {
    const metric = app.metric()?.name;
    if (metric === undefined || !comparisonOf(app)) return null;
    return { ...app.query('functions'), metrics: `e.${metric}`, limit: 1 };
  });
  return createMemo(() => {
    const answer = asked.answer();
    const [column] = comparedMetricsOf(answer?.columns ?? []);
    return answer && column && sidesOf(answer.total, column);
  });
}
