// The total cost of both sides over all samples that match the filter: the base of absolute changes. Flame graphs and
// call trees use it because their answers contain only the total of the shown samples.
import { type Accessor, createMemo } from 'solid-js';
import type { App } from '../app';
import type { FunctionsView, Values } from '../engine/answers';
import type { Asked } from '../engine/use_answer';
import type { Totals } from './change';
import { comparisonOf } from './use_comparison';
import { comparedMetricsOf, sidesOf } from './words';

/** The totals of the shown metric. Undefined until the answer has arrived, and outside of comparisons. */
export function useTotals(app: App): Accessor<Totals | undefined> {
  const asked = askTotals(app, () => {
    const metric = app.metric()?.name;
    return metric === undefined ? null : `e.${metric}`;
  });
  return createMemo(() => {
    const answer = asked.answer();
    const [column] = comparedMetricsOf(answer?.columns ?? []);
    return answer && column && sidesOf(answer.total, column);
  });
}

/** The totals of columns in the metric syntax. Undefined until the answer has arrived, and outside of comparisons. */
export function useColumnTotals(app: App, metrics: () => string | null): Accessor<Values | undefined> {
  const asked = askTotals(app, metrics);
  return () => asked.answer()?.total;
}

/** The table of functions contains the totals. The rows are not needed. */
function askTotals(app: App, metrics: () => string | null): Asked<FunctionsView> {
  return app.ask(() => {
    const shown = metrics();
    return shown === null || !comparisonOf(app) ? null : { ...app.query('functions'), metrics: shown, limit: 1 };
  });
}
