// Columns of a comparison: for each metric baseline, candidate, change and change in proportion. The emphasised change
// has a bar from the middle of its cell, to the left for less and to the right for more.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { Column, Part, Values } from '../engine/shapes';
import { fieldOf, languageOf } from '../format/columns';
import { type Scale, proportion, scaleFor, scaled, scaledChange } from '../format/compared';
import type { TableColumn } from '../table/virtual_table';
import { type ChangeBy, type Totals, changeBar, changeStep, presence } from './change';
import { changeBy } from './use_comparison';
import { comparedMetricsOf, sidesOf } from './words';
import './compare.css';

const TITLES: Record<Part, string> = { baseline: 'Baseline', candidate: 'Candidate', delta: 'Change', ratio: 'Change %' };
/** Steps of counts in headings. */
const SHORT: Record<string, string> = { thousand: 'k', million: 'M', billion: 'G' };
/** Widths of headings are estimated, so that columns stand still while rows come and go. */
const LETTER_PX = 6.8;
const PADDING_PX = 18;
const ARROW_LETTERS = 2;

/** What a cell needs besides its row. */
interface Compared {
  column: Column;
  part: Part;
  scale: Scale;
  totals: Totals;
}

/** What the columns of a comparison show, for tables of any make. */
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

/** `total`: the row of all, which the scale and absolute changes are measured by. */
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
 * What says that a row is new or removed, by the metric that says most: the inclusive one if there is one. Undefined outside
 * of comparisons.
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
  return scaled(part === 'baseline' ? baseline : candidate, scale);
}

/** Zeros, and changes in the neutral zone. */
function isDim(values: Values, { column, part, totals }: Compared, by: ChangeBy): boolean {
  const { baseline, candidate } = sidesOf(values, column);
  if (part === 'baseline') return baseline === 0;
  if (part === 'candidate') return candidate === 0;
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
