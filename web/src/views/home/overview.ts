// Values of the overview's answer.
import type { Column, KnownMetric, OverviewView } from '../../engine/answers';
import { columnValue, fieldOf } from '../../format/columns';

/** The metric that ranks the top functions. */
export function rankingMetric(overview: OverviewView): Column | undefined {
  return overview.columns.find(
    (column) => fieldOf({ ...column, flavour: 'exclusive', is_percent: false }) === overview.sorted_by,
  );
}

/** The total of a metric; undefined if it was not collected. */
export function totalOf(overview: OverviewView, metric: KnownMetric): number | undefined {
  const column = overview.columns.find((column) => column.metric === metric);
  return column && columnValue(overview.totals, column);
}
