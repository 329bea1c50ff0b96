// Values of the overview's answer.
import type { Column, OverviewView } from '../../engine/answers';
import { fieldOf } from '../../format/columns';

/** The metric that ranks the top functions. */
export function rankingMetric(overview: OverviewView): Column | undefined {
  return overview.columns.find(
    (column) => fieldOf({ ...column, flavour: 'exclusive', is_percent: false }) === overview.sorted_by,
  );
}

/** The total of a metric; undefined if it was not collected. */
export function totalOf(overview: OverviewView, metric: string): number | undefined {
  for (const suffix of ['_ns', '_bytes', '_count', '']) {
    const value = overview.totals[`${metric}${suffix}`];
    if (typeof value === 'number') return value;
  }
  return undefined;
}
