// The comparison that is shown, if the experiment is one, and what of changes is emphasised.
import type { App } from '../app';
import type { Comparison } from '../engine/shapes';
import { comparedMetrics, tableMetrics } from '../table/column_choice';
import type { ChangeBy } from './change';

const BY = 'compare.by';

export function comparisonOf(app: App): Comparison | undefined {
  return app.experiment()?.comparison ?? undefined;
}

/** By what changes are emphasised, coloured and sorted. */
export function changeBy(app: App): ChangeBy {
  return app.state.options[BY] === 'proportional' ? 'proportional' : 'absolute';
}

export function setChangeBy(app: App, by: ChangeBy): void {
  const { [BY]: _, ...others } = app.state.options;
  // A table that is sorted by the one change is sorted by the other, too.
  const [from, to] = by === 'absolute' ? ['ratio', 'delta'] : ['delta', 'ratio'];
  const sort = app.state.sort?.endsWith(`:${from}`) ? app.state.sort.replace(`:${from}`, `:${to}`) : app.state.sort;
  app.navigate({ sort, options: by === 'absolute' ? others : { ...others, [BY]: by } });
}

/** The `metrics` of a request for a table; null while the experiment is not known. */
export function metricsShown(app: App): string | null {
  const { columns, metric } = app.state;
  const text = tableMetrics(columns, metric, app.experiment()?.metrics ?? []);
  if (text === null || !comparisonOf(app)) return text;
  // Four columns a metric leave no room for another one that nobody asked for.
  return comparedMetrics(columns ?? `e.${app.metric()?.name},i.${app.metric()?.name}`);
}

/** The `sort` of a request: what was chosen, or in comparisons the change that is emphasised. */
export function sortShown(app: App, metrics: string | null): string | null {
  if (app.state.sort !== null || metrics === null || !comparisonOf(app)) return app.state.sort;
  return `${metrics.split(',')[0]}:${changeBy(app) === 'absolute' ? 'delta' : 'ratio'}`;
}
