// Columns of a comparison: baseline, candidate, change and ratio of each metric. The highlighted change has a bar from the middle
// of its cell, to the left for less and to the right for more.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { Column, Part, Values } from '../engine/answers';
import { fieldOf, languageOf } from '../format/columns';
import { proportion, type Scale, scaled, scaledChange, scaleFor } from '../format/compared';
import type { TableColumn } from '../table/virtual_table';
import { type ChangeBy, changeBar, changeStep, presence, type Totals } from './change';
import { changeBy } from './use_comparison';
import { comparedMetricsOf, sidesOf } from './words';
import './compare.css';

const TITLES: Record<Part, string> = {
  baseline: 'Baseline',
  candidate: 'Candidate',
  delta: 'Change',
  ratio: 'Change %',
  both: 'Mean',
};
/** Steps of counts in headings. */
const SHORT: Record<string, string> = { thousand: 'k', million: 'M', billion: 'G' };
/** Widths of headings are estimated, so that columns keep their place while rows change. */
const LETTER_PX = 6.8;
const PADDING_PX = 18;
const ARROW_LETTERS = 2;

/** Data that the cells of a column need. */
interface Compared {
  column: Column;
  part: Part;
  scale: Scale;
  totals: Totals;
}

/** A column of a comparison, for any kind of table. */
export interface ComparedCell {
  field: string;
  group: string;
  title: string;
  sort: string;
  text(values: Values): string;
  isDim(values: Values): boolean;
  /** -1 to 1; undefined: no bar in this column. */
  bar?: (values: Values) => number;
}

/** `total`: the row of totals, the base of the scale and of absolute changes. */
export function comparedCells(columns: readonly Column[], total: Values | undefined, by: ChangeBy): ComparedCell[] {
  return columns.map((column) => {
    const totals = total ? sidesOf(total, column) : { baseline: 0, candidate: 0 };
    const scale = scaleFor(Math.max(totals.baseline, totals.candidate), column.unit);
    const compared = { column, part: column.part ?? 'candidate', scale, totals };
    const isEmphasised = column.part === (by === 'absolute' ? 'delta' : 'ratio');
    return {
      field: fieldOf(column),
      group: groupOf(column),
      title: [TITLES[compared.part], column.part === 'ratio' ? '' : (SHORT[scale.name] ?? scale.name)].join(' ').trimEnd(),
      sort: languageOf(column),
      text: (values) => textOf(values, compared),
      isDim: (values) => isDim(values, compared, by),
      ...(isEmphasised ? { bar: (values: Values) => barOf(values, compared, by) } : {}),
    };
  });
}

export function comparedColumns<Any extends Values>(columns: readonly Column[], total: Values | undefined): TableColumn<Any>[] {
  const by = changeBy(useApp());
  return comparedCells(columns, total, by).map((cell) => ({
    key: cell.field,
    group: cell.group,
    title: cell.title,
    width: widthOf(cell),
    isNumber: true,
    sort: cell.sort,
    description: `${cell.group}, ${cell.title}`,
    cell: (row: Any) => <span classList={{ dim: cell.isDim(row) }}>{cell.text(row)}</span>,
    ...(cell.bar ? { under: (row: Any) => <ChangeBar ratio={cell.bar?.(row) ?? 0} /> } : {}),
  }));
}

/**
 * The mark of new and removed rows, from the inclusive metric, otherwise from the first metric. Undefined outside of
 * comparisons.
 */
export function presenceMark(columns: readonly Column[]): ((row: Values) => JSX.Element) | undefined {
  const metrics = comparedMetricsOf(columns);
  const telling = metrics.find((column) => column.flavour === 'inclusive' || column.flavour === 'attributed') ?? metrics[0];
  return telling && ((row) => <PresenceMark {...sidesOf(row, telling)} />);
}

export function PresenceMark(props: { baseline: number; candidate: number }): JSX.Element {
  return (
    <Show when={presence(props.baseline, props.candidate)}>
      {(found) => <span class={`change-mark ${found()}`}>{found() === 'new' ? '+ new' : '\u2212 removed'}</span>}
    </Show>
  );
}

export function ChangeBar(props: { ratio: number }): JSX.Element {
  const width = () => `${Math.abs(props.ratio) * 50}%`;
  return (
    <Show when={props.ratio !== 0}>
      <span class={`change-bar ${props.ratio < 0 ? 'less' : 'more'}`} style={{ width: width() }} />
    </Show>
  );
}

function textOf(values: Values, { column, part, scale }: Compared): string {
  const { baseline, candidate } = sidesOf(values, column);
  if (part === 'delta') return scaledChange(candidate - baseline, scale);
  if (part === 'ratio') return proportion(baseline, candidate);
  if (part === 'both') return scaled((baseline + candidate) / 2, scale);
  return scaled(part === 'baseline' ? baseline : candidate, scale);
}

/** True for zeros and for changes in the neutral range. */
function isDim(values: Values, { column, part, totals }: Compared, by: ChangeBy): boolean {
  const { baseline, candidate } = sidesOf(values, column);
  if (part === 'baseline') return baseline === 0;
  if (part === 'candidate') return candidate === 0;
  if (part === 'both') return baseline === 0 && candidate === 0;
  return changeStep(baseline, candidate, by, totals) === 0;
}

function barOf(values: Values, { column, totals }: Compared, by: ChangeBy): number {
  const { baseline, candidate } = sidesOf(values, column);
  return changeBar(baseline, candidate, by, totals);
}

function groupOf(column: Column): string {
  if (column.flavour === 'plain') return column.title;
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)} ${column.title}`;
}

function widthOf(cell: ComparedCell): string {
  const letters = Math.max(cell.title.length + ARROW_LETTERS, cell.group.length);
  const width = Math.max(84, Math.min(180, Math.ceil(letters * LETTER_PX + PADDING_PX)));
  return `minmax(${width}px, ${width + 8}px)`;
}
