// The shown comparison, if the experiment is one, and the highlighted kind of change.
import type { App } from '../app';
import type { Comparison } from '../engine/answers';
import { comparedMetrics, tableMetrics } from '../state/column_choice';
import type { ChangeBy } from './change';

const BY = 'compare.by';

export function comparisonOf(app: App): Comparison | undefined {
  return app.experiment()?.comparison ?? undefined;
}

/** Whether the shown experiment compares open experiments. This is known before the first answer. */
export function hasSides(app: App): boolean {
  return Boolean(app.experiments()[app.state.experiment]?.sides);
}

/** The kind of change that is highlighted. It also decides the colours and the order. */
export function changeBy(app: App): ChangeBy {
  return app.state.options[BY] === 'proportional' ? 'proportional' : 'absolute';
}

export function setChangeBy(app: App, by: ChangeBy): void {
  const { [BY]: _, ...others } = app.state.options;
  // If a table is sorted by one kind of change, it is then sorted by the other kind of change.
  const [from, to] = by === 'absolute' ? ['ratio', 'delta'] : ['delta', 'ratio'];
  const sort = app.state.sort?.endsWith(`:${from}`) ? app.state.sort.replace(`:${from}`, `:${to}`) : app.state.sort;
  app.navigate({ sort, options: by === 'absolute' ? others : { ...others, [BY]: by } });
}

/** The key `metrics` of a request for a table; null until the experiment is known. */
export function metricsShown(app: App): string | null {
  const { columns, metric } = app.state;
  const text = tableMetrics(columns, metric, app.experiment()?.metrics ?? []);
  if (text === null || !comparisonOf(app)) return text;
  // Each metric has four columns, so there is no space for metrics that the user did not select.
  return comparedMetrics(columns ?? `e.${app.metric()?.name},i.${app.metric()?.name}`);
}

/** The key `sort` of a request: the selected sort, or in comparisons the highlighted change. */
export function sortShown(app: App, metrics: string | null): string | null {
  if (app.state.sort !== null || metrics === null || !comparisonOf(app)) return app.state.sort;
  return `${metrics.split(',')[0]}:${changeBy(app) === 'absolute' ? 'delta' : 'ratio'}`;
}
