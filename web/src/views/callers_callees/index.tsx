// Callers and callees: who calls the centre, what it calls, and who is responsible for how much. The centre is one
// function or a fragment, a chain of functions that call each other directly.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { metricsShown, sortShown } from '../../compare/use_comparison';
import type { Column, Row, Values } from '../../engine/shapes';
import { counted, grouped } from '../../format/numbers';
import { quoted } from '../../format/quoting';
import { Answered, FunctionName, Toolbar } from '../../shell/parts';
import { baseOf, describeValues } from '../../shell/values';
import { ColumnsButton } from '../../table/columns_dialog';
import { attributedMetrics } from '../../table/column_choice';
import { functionColumn, metricColumns, sortedWord } from '../../table/metric_columns';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../registry';
import { type End, added, centred, removed } from './fragment';
import './callers_callees.css';

interface CallersCallees {
  columns: Column[];
  sorted_by: string;
  notes: string[];
  fragment: string[];
  inclusive: Values;
  own: Values;
  caller_count: number;
  callers: Row[];
  callee_count: number;
  callees: Row[];
}

/** More callers than anyone reads; what is beyond is said. */
const MOST_ROWS = 2000;

/** The row of the centre: one frame of the fragment, or its own cost. */
interface CentreRow extends Record<string, unknown> {
  frame: string | null;
  depth: number;
  values: Values | null;
}

function CallersCalleesView(): JSX.Element {
  const app = useApp();
  const request = () => {
    const shown = metricsShown(app);
    const metrics = attributedMetrics(shown);
    if (metrics === null) return null;
    const sort = attributedSort(sortShown(app, shown), metrics);
    return { ...app.query('callers-callees'), fragment: [...app.state.fragment], metrics, sort, limit: MOST_ROWS };
  };
  const asked = app.ask<CallersCallees>(request);
  app.offerExport({ request });
  const answer = () => asked.answer();
  const values = () => metricColumns<Values>(answer()?.columns ?? [], answer()?.inclusive);
  const change = (fragment: string[]) => app.navigate({ fragment, ...(fragment.at(-1) ? { selected: fragment.at(-1) ?? null } : {}) });

  const centreRows = (): CentreRow[] => {
    const frames = answer()?.fragment ?? [];
    const shown = frames.length === 0 ? ['<Total>'] : frames;
    const last = shown.length - 1;
    return [
      ...shown.map((frame, depth) => ({ frame, depth, values: depth === last ? (answer()?.inclusive ?? null) : null })),
      { frame: null, depth: last + 1, values: answer()?.own ?? null },
    ];
  };
  const centreColumns = (): TableColumn<CentreRow>[] => [
    ...values().map((column) => ({
      ...column,
      cell: (row: CentreRow, index: number) => row.values && column.cell(row.values, index),
      heat: (row: CentreRow) => (row.values && column.heat ? column.heat(row.values) : 0),
      under: (row: CentreRow) => row.values && column.under?.(row.values),
    })),
    {
      key: 'function',
      title: 'Function',
      width: 'minmax(280px, 1fr)',
      cell: (row) => <CentreName row={row} count={app.state.fragment.length} onRemove={(end) => change(removed(app.state.fragment, end))} />,
    },
  ];
  return (
    <>
      <Toolbar title="Callers and callees" subtitle={<Counts answer={answer()} />}>
        <CentreControls onChange={change} />
        <ColumnsButton />
      </Toolbar>
      <Answered asked={asked}>
        <div class="cc-panes">
          <Pane end="callers" answer={answer()} columns={values()} isStale={asked.isLoading()} onChange={change} />
          <div class="cc-centre">
            <VirtualTable<CentreRow>
              label="Centre"
              columns={centreColumns()}
              rowCount={centreRows().length}
              rowAt={(index) => centreRows()[index]}
              hasNoHeading
              isStale={asked.isLoading()}
              selected={centreRows().findIndex((row) => row.frame !== null && row.frame === app.state.selected)}
              onSelect={(row) => row.frame !== null && row.frame !== '<Total>' && app.select(row.frame)}
              onMenu={(row, place) => row.frame !== null && app.openFunctionMenu(row.frame, place)}
              onActivate={(row) => row.frame !== null && change(centred(row.frame))}
            />
          </div>
          <Pane end="callees" answer={answer()} columns={values()} isStale={asked.isLoading()} onChange={change} />
        </div>
        <ComparedNotes notes={answer()?.notes} />
      </Answered>
    </>
  );
}

function Counts(props: { answer: CallersCallees | undefined }): JSX.Element {
  return (
    <Show when={props.answer}>
      {(answer) => `${counted(answer().caller_count, 'caller')}, ${counted(answer().callee_count, 'callee')}${baseOf(answer().columns, answer().inclusive, 'inclusive in the centre')}`}
    </Show>
  );
}

function CentreControls(props: { onChange(fragment: string[]): void }): JSX.Element {
  const app = useApp();
  const selected = () => app.state.selected;
  const fragment = () => app.state.fragment;
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={selected() === null || (fragment().length === 1 && fragment()[0] === selected())}
        title="Make the selected function the centre: Enter"
        onClick={() => props.onChange(centred(selected() ?? ''))}
      >
        Set centre
      </button>
      <button type="button" class="button" disabled={fragment().length === 0} onClick={() => props.onChange([])}>
        Centre on &lt;Total&gt;
      </button>
      <Show when={fragment().length > 0}>
        <button
          type="button"
          class="button"
          title="Only samples with the centre on their stack, in all views"
          onClick={() => app.addFilter(filterOf(fragment()))}
        >
          Filter by centre
        </button>
      </Show>
    </>
  );
}

function filterOf(fragment: readonly string[]): string {
  if (fragment.length === 1) return `stack has ${quoted(fragment[0] ?? '')}`;
  return `stack has fragment ${quoted(fragment.join(' > '))}`;
}

function Pane(props: {
  end: End;
  answer: CallersCallees | undefined;
  columns: TableColumn<Values>[];
  isStale: boolean;
  onChange(fragment: string[]): void;
}): JSX.Element {
  const app = useApp();
  const rows = () => props.answer?.[props.end] ?? [];
  const count = () => (props.end === 'callers' ? props.answer?.caller_count : props.answer?.callee_count) ?? 0;
  const add = (name: string) => props.onChange(added(app.state.fragment, name, props.end));
  const name = (): TableColumn<Row> => {
    const column = functionColumn<Row>(props.end === 'callers' ? 'Called by' : 'Calls', presenceMark(props.answer?.columns ?? []));
    return { ...column, cell: (row, index) => <Callable row={row} end={props.end} text={column.cell(row, index)} canAdd={app.state.fragment.length > 0} onAdd={add} onCentre={(centre) => props.onChange(centred(centre))} /> };
  };
  return (
    <section class={`cc-pane cc-${props.end}`} aria-label={props.end === 'callers' ? 'Callers' : 'Callees'}>
      <Show when={props.end === 'callees'}>
        <h2 class="cc-label">Calls</h2>
      </Show>
      <VirtualTable<Row>
        label={props.end === 'callers' ? 'Callers of the centre' : 'Callees of the centre'}
        columns={[...(props.columns as unknown as TableColumn<Row>[]), name()]}
        hasNoHeading={props.end === 'callees'}
        rowCount={rows().length}
        rowAt={(index) => rows()[index]}
        isStale={props.isStale}
        selected={rows().findIndex((row) => row.function === app.state.selected)}
        sortedBy={sortedWord(props.answer?.columns ?? [], props.answer?.sorted_by)}
        {...(props.end === 'callers' ? { onSort: (sort: string) => app.navigate({ sort }) } : {})}
        onSelect={(row) => app.select(row.function)}
        onActivate={(row) => props.onChange(centred(row.function))}
        onMenu={(row, place) => app.openFunctionMenu(row.function, place, row)}
        onPoint={(row) =>
          app.showDetails(row && { name: row.function, facts: [row.kind], values: describeValues(props.answer?.columns ?? [], row) })
        }
        onKey={(event, row) => {
          if (event.key === 'a' && row && app.state.fragment.length > 0) add(row.function);
          else if (event.key === 'Backspace') props.onChange(removed(app.state.fragment, props.end));
          else return false;
          return true;
        }}
        empty={props.end === 'callers' ? 'Nothing calls the centre: it is where stacks begin.' : 'The centre calls nothing.'}
      />
      <Show when={count() > rows().length}>
        <p class="cc-rest">{grouped(count() - rows().length)} more are not shown</p>
      </Show>
    </section>
  );
}

function Callable(props: {
  row: Row;
  end: End;
  text: JSX.Element;
  canAdd: boolean;
  onAdd(name: string): void;
  onCentre(name: string): void;
}): JSX.Element {
  return (
    <span class="cc-callable">
      {props.text}
      <span class="cc-buttons">
        <button type="button" tabIndex={-1} class="button small" aria-label={`Set centre: ${props.row.function}`} onClick={() => props.onCentre(props.row.function)}>
          Set centre
        </button>
        <Show when={props.canAdd}>
          <button type="button" tabIndex={-1} class="button small" aria-label={`Add to the centre: ${props.row.function}`} onClick={() => props.onAdd(props.row.function)}>
            {props.end === 'callers' ? 'Add above' : 'Add below'}
          </button>
        </Show>
      </span>
    </span>
  );
}

function CentreName(props: { row: CentreRow; count: number; onRemove(end: End): void }): JSX.Element {
  const ends = (): End[] => {
    if (props.row.frame === null || props.count === 0) return [];
    const found: End[] = [];
    if (props.row.depth === 0) found.push('callers');
    if (props.row.depth === props.count - 1 && props.count > 1) found.push('callees');
    return found;
  };
  return (
    <span class="cc-callable" style={{ 'padding-left': `${props.row.depth * 16}px` }}>
      <Show when={props.row.frame} fallback={<span class="dim">its own part, exclusive</span>}>
        {(frame) => (
          <span class="cc-frame">
            <FunctionName name={frame()} packageLength={28} />
          </span>
        )}
      </Show>
      <span class="cc-buttons shown">
        <For each={ends()}>
          {(end) => (
            <button
              type="button"
              tabIndex={-1}
              class="button quiet small"
              aria-label={`Remove from the ${end === 'callers' ? 'outer' : 'inner'} end: ${props.row.frame}`}
              title="Remove from the centre: Backspace"
              onClick={() => props.onRemove(end)}
            >
              Remove
            </button>
          )}
        </For>
      </span>
    </span>
  );
}

/** Sorted like other tables, by the same metric attributed, if it is among the columns. */
function attributedSort(sort: string | null, metrics: string): string | null {
  if (sort === null || sort === 'name') return sort;
  const word = sort.replace(/^[eia]\./, 'a.');
  return metrics.split(',').includes(word.replace(/:\w+$/, '')) ? word : null;
}

export const view: ViewDefinition = {
  name: 'callers-callees',
  title: 'Callers & callees',
  question: 'Who calls this function, what does it call, and who is responsible for how much?',
  key: 'c',
  order: 30,
  group: 'code',
  component: CallersCalleesView,
  enter: ({ selected, fragment }) =>
    selected === null || selected.startsWith('<') || fragment.includes(selected) ? {} : { fragment: [selected] },
  keys: [
    ['Enter', 'Make the row the centre'],
    ['a', 'Add the caller or callee to the centre'],
    ['Backspace', 'Remove the outermost (among callers) or innermost function of the centre'],
  ],
};
