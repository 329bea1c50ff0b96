// The selected columns of tables. Converts between the metric syntax and a list.
import type { MetricLine } from '../engine/answers';

export interface ColumnChoice {
  flavour: 'e' | 'i';
  metric: string;
  isPercent: boolean;
}

/** The columns of `e.cpu,i.cpu%`; undefined if there is no text or if it contains other words. */
export function chosenColumns(text: string | null): ColumnChoice[] | undefined {
  if (text === null || text === '') return undefined;
  const choices = text.split(',').map((word) => /^([ei])\.(\w+)(%?)$/.exec(word.trim()));
  if (choices.some((match) => match === null)) return undefined;
  return choices.map((match) => ({
    flavour: match?.[1] as 'e' | 'i',
    metric: match?.[2] ?? '',
    isPercent: match?.[3] === '%',
  }));
}

/**
 * Columns are in the order of the metrics. Within a metric, exclusive comes before inclusive, and values before
 * percent.
 */
export function writtenColumns(chosen: readonly ColumnChoice[], metrics: readonly MetricLine[]): string {
  const place = (choice: ColumnChoice) => {
    const metric = metrics.findIndex(({ name }) => name === choice.metric);
    return (metric < 0 ? metrics.length : metric) * 4 + (choice.flavour === 'i' ? 2 : 0) + (choice.isPercent ? 1 : 0);
  };
  const word = (choice: ColumnChoice) => `${choice.flavour}.${choice.metric}${choice.isPercent ? '%' : ''}`;
  return [...chosen]
    .sort((left, right) => place(left) - place(right))
    .map(word)
    .join(',');
}

/** The default columns: one metric as values and in percent, and the metrics that are shown next to the default metric. */
export function defaultColumns(
  metric: string | undefined,
  metrics: readonly MetricLine[],
  isDefaultMetric: boolean,
): ColumnChoice[] {
  if (metric === undefined) return [];
  const columns: ColumnChoice[] = [];
  for (const flavour of ['e', 'i'] as const) {
    for (const isPercent of [false, true]) columns.push({ flavour, metric, isPercent });
  }
  if (isDefaultMetric && metrics.some(({ name, shown }) => name === metric && shown === 'by_default')) {
    for (const beside of metrics.filter(({ shown }) => shown === 'beside_default')) {
      for (const flavour of ['e', 'i'] as const) columns.push({ flavour, metric: beside.name, isPercent: false });
    }
  }
  return columns;
}

/** The key `metrics` of a request for a table of functions; null until the experiment is known. */
export function tableMetrics(columns: string | null, metric: string | null, metrics: readonly MetricLine[]): string | null {
  if (columns !== null) return columns;
  const name = metric ?? metrics[0]?.name;
  return name === undefined ? null : writtenColumns(defaultColumns(name, metrics, metric === null), metrics);
}

/**
 * The key `metrics` for a comparison. Its columns are values of both sides, so each metric occurs once, without
 * percent.
 */
export function comparedMetrics(text: string): string {
  const words = text.split(',').map((word) => word.trim().replace(/%$/, ''));
  return [...new Set(words)].join(',');
}

/** The same metrics as attributed metrics, for callers-callees. Each metric occurs once. */
export function attributedMetrics(text: string | null): string | null {
  if (text === null) return null;
  const words = text.split(',').map((word) => word.trim().replace(/^[eia]\./, 'a.'));
  return [...new Set(words)].join(',');
}

/** The columns of a tree of one metric, in the metric syntax. */
export function treeColumns(metric: string | undefined): string | null {
  return metric === undefined ? null : `i.${metric},i.${metric}%,e.${metric}`;
}
