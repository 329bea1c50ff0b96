// The columns of tables as a choice: metric language <-> a list.
import type { MetricTotal } from '../engine/shapes';

export interface ColumnChoice {
  flavour: 'e' | 'i';
  metric: string;
  isPercent: boolean;
}

/** What `e.cpu,i.cpu%` chooses; undefined for no text or one with other words in it. */
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

/** In the order of metrics; of one metric first exclusive, then inclusive, values before percent. */
export function writtenColumns(chosen: readonly ColumnChoice[], metrics: readonly MetricTotal[]): string {
  const place = (choice: ColumnChoice) => {
    const metric = metrics.findIndex(({ name }) => name === choice.metric);
    return (metric < 0 ? metrics.length : metric) * 4 + (choice.flavour === 'i' ? 2 : 0) + (choice.isPercent ? 1 : 0);
  };
  const word = (choice: ColumnChoice) => `${choice.flavour}.${choice.metric}${choice.isPercent ? '%' : ''}`;
  return [...chosen].sort((left, right) => place(left) - place(right)).map(word).join(',');
}

/** What tables show if nothing was chosen: one metric as values and in percent, and system CPU beside CPU. */
export function defaultColumns(metric: string | undefined, metrics: readonly MetricTotal[], isDefaultMetric: boolean): ColumnChoice[] {
  if (metric === undefined) return [];
  const columns: ColumnChoice[] = [];
  for (const flavour of ['e', 'i'] as const) {
    for (const isPercent of [false, true]) columns.push({ flavour, metric, isPercent });
  }
  if (isDefaultMetric && metric === 'cpu' && metrics.some(({ name }) => name === 'system_cpu')) {
    columns.push({ flavour: 'e', metric: 'system_cpu', isPercent: false }, { flavour: 'i', metric: 'system_cpu', isPercent: false });
  }
  return columns;
}

/** The `metrics` of a request for a table of functions; null while the experiment is not known. */
export function tableMetrics(columns: string | null, metric: string | null, metrics: readonly MetricTotal[]): string | null {
  if (columns !== null) return columns;
  const name = metric ?? metrics[0]?.name;
  return name === undefined ? null : writtenColumns(defaultColumns(name, metrics, metric === null), metrics);
}

/** The same for a comparison, whose columns are values of both sides: each once, without percent. */
export function comparedMetrics(text: string): string {
  const words = text.split(',').map((word) => word.trim().replace(/%$/, ''));
  return [...new Set(words)].join(',');
}

/** The same metrics, attributed, each once: for callers-callees. */
export function attributedMetrics(text: string | null): string | null {
  if (text === null) return null;
  const words = text.split(',').map((word) => word.trim().replace(/^[eia]\./, 'a.'));
  return [...new Set(words)].join(',');
}
