// Callers and callees of the centre, with their contribution to the cost. The centre is one function or a fragment, a
// chain of functions that call each other directly.
import { createEffect, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { ColumnsButton } from '../../columns/columns_dialog';
import { functionColumn, metricColumns, sortedWord, WIDEST_NAME_PX } from '../../columns/metric_columns';
import { baseOf, describeValues } from '../../columns/values';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { metricsShown, sortShown } from '../../compare/use_comparison';
import type { CallersCalleesView, FunctionRow, Values } from '../../engine/answers';
import { counted, grouped } from '../../format/numbers';
import { quoted } from '../../format/quoting';
import { Answered, FunctionName, Toolbar } from '../../parts/parts';
import { useStartFunction } from '../../parts/start_function';
import { attributedMetrics } from '../../state/column_choice';
import { createTableSpace, type TableSpace } from '../../table/table_space';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';
import { added, centreChange, centred, type End, isCentreChosen, removed } from './fragment';
import './callers_callees.css';

/** The user does not read more rows. The page shows the number of further rows. */
const MOST_ROWS = 2000;

/** A row of the centre: one frame of the fragment, or the exclusive value. */
interface CentreRow extends Record<string, unknown> {
  frame: string | null;
  depth: number;
  values: Values | null;
}

function CallersCallees(): JSX.Element {
  const app = useApp();
  const start = useStartFunction();
  // Without a chosen centre, the view opens on the selected function, or on the hottest own function.
  const opening = () => (isCentreChosen(app.state) ? [] : centred(start.name() ?? ''));
  createEffect(() => {
    if (opening().length > 0) app.navigate(centreChange(app.state, opening()), { replace: true });
  });
  const request = () => {
    const shown = metricsShown(app);
    const metrics = attributedMetrics(shown);
    const isStartUnknown = !isCentreChosen(app.state) && start.isLoading();
    if (metrics === null || isStartUnknown || opening().length > 0) return null;
    const sort = attributedSort(sortShown(app, shown), metrics);
    return { ...app.query('callers-callees'), fragment: [...app.state.fragment], metrics, sort, limit: MOST_ROWS };
  };
  const asked = app.ask(request);
  const space = createTableSpace();
  app.offerExport({ request });
  const answer = () => asked.answer();
  const values = () => metricColumns<Values>(answer()?.columns ?? [], answer()?.inclusive);
  const change = (fragment: string[]) => app.navigate(centreChange(app.state, fragment));

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
      cell: (row: CentreRow, index: number, room: () => number) => row.values && column.cell(row.values, index, room),
      heat: (row: CentreRow) => (row.values && column.heat ? column.heat(row.values) : 0),
      under: (row: CentreRow) => row.values && column.under?.(row.values),
    })),
    {
      key: 'function',
      title: 'Function',
      width: 'minmax(280px, 1fr)',
      isName: true,
      widest: WIDEST_NAME_PX,
      cell: (row, _, room) => (
        <CentreName
          row={row}
          room={room()}
          count={app.state.fragment.length}
          onRemove={(end) => change(removed(app.state.fragment, end))}
        />
      ),
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
          <Pane end="callers" answer={answer()} columns={values()} space={space} isStale={asked.isLoading()} onChange={change} />
          <div class="cc-centre">
            <VirtualTable<CentreRow>
              label="Centre"
              columns={centreColumns()}
              rowCount={centreRows().length}
              rowAt={(index) => centreRows()[index]}
              hasNoHeading
              space={space}
              sortedBy={sortedWord(answer()?.columns ?? [], answer()?.sorted_by)}
              isStale={asked.isLoading()}
              selected={centreRows().findIndex((row) => row.frame !== null && row.frame === app.state.selected)}
              onSelect={(row) => row.frame !== null && row.frame !== '<Total>' && app.select(row.frame)}
              onMenu={(row, place) => row.frame !== null && app.openFunctionMenu(row.frame, place)}
              onActivate={(row) => row.frame !== null && change(centred(row.frame))}
            />
          </div>
          <Pane end="callees" answer={answer()} columns={values()} space={space} isStale={asked.isLoading()} onChange={change} />
        </div>
        <ComparedNotes notes={answer()?.notes} />
      </Answered>
    </>
  );
}

function Counts(props: { answer: CallersCalleesView | undefined }): JSX.Element {
  const text = () => {
    const { answer } = props;
    if (!answer) return '';
    const counts = `${counted(answer.caller_count, 'caller')}, ${counted(answer.callee_count, 'callee')}`;
    return `${counts}${baseOf(answer.columns, answer.inclusive, 'of the centre, inclusive')}`;
  };
  return <>{text()}</>;
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
          title="Show only samples with the centre on the stack, in all views"
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
  answer: CallersCalleesView | undefined;
  columns: TableColumn<Values>[];
  space: TableSpace;
  isStale: boolean;
  onChange(fragment: string[]): void;
}): JSX.Element {
  const app = useApp();
  const rows = () => props.answer?.[props.end] ?? [];
  const count = () => (props.end === 'callers' ? props.answer?.caller_count : props.answer?.callee_count) ?? 0;
  const add = (name: string) => props.onChange(added(app.state.fragment, name, props.end));
  const name = (): TableColumn<FunctionRow> => {
    const column = functionColumn<FunctionRow>(
      props.end === 'callers' ? 'Callers' : 'Callees',
      presenceMark(props.answer?.columns ?? []),
    );
    return {
      ...column,
      cell: (row, index, room) => (
        <Callable
          row={row}
          end={props.end}
          text={column.cell(row, index, room)}
          canAdd={app.state.fragment.length > 0}
          onAdd={add}
          onCentre={(centre) => props.onChange(centred(centre))}
        />
      ),
    };
  };
  return (
    <section class={`cc-pane cc-${props.end}`} aria-label={props.end === 'callers' ? 'Callers' : 'Callees'}>
      <Show when={props.end === 'callees'}>
        <h2 class="cc-label">Callees</h2>
      </Show>
      <VirtualTable<FunctionRow>
        label={props.end === 'callers' ? 'Callers of the centre' : 'Callees of the centre'}
        columns={[...props.columns, name()]}
        hasNoHeading={props.end === 'callees'}
        space={props.space}
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
          app.showDetails(
            row && { name: row.function, facts: [row.kind], values: describeValues(props.answer?.columns ?? [], row) },
          )
        }
        onKey={(event, row) => {
          if (event.key === 'a' && row && app.state.fragment.length > 0) add(row.function);
          else if (event.key === 'Backspace') props.onChange(removed(app.state.fragment, props.end));
          else return false;
          return true;
        }}
        empty={props.end === 'callers' ? 'The centre has no callers: its stacks begin here.' : 'The centre has no callees.'}
      />
      <Show when={count() > rows().length}>
        <p class="cc-rest">{grouped(count() - rows().length)} more rows are not shown</p>
      </Show>
    </section>
  );
}

function Callable(props: {
  row: FunctionRow;
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
        <button
          type="button"
          tabIndex={-1}
          class="button small"
          aria-label={`Set centre: ${props.row.function}`}
          onClick={() => props.onCentre(props.row.function)}
        >
          Set centre
        </button>
        <Show when={props.canAdd}>
          <button
            type="button"
            tabIndex={-1}
            class="button small"
            aria-label={`Add to the centre: ${props.row.function}`}
            onClick={() => props.onAdd(props.row.function)}
          >
            {props.end === 'callers' ? 'Add above' : 'Add below'}
          </button>
        </Show>
      </span>
    </span>
  );
}

function CentreName(props: { row: CentreRow; room: number; count: number; onRemove(end: End): void }): JSX.Element {
  const ends = (): End[] => {
    if (props.row.frame === null || props.count === 0) return [];
    const found: End[] = [];
    if (props.row.depth === 0) found.push('callers');
    if (props.row.depth === props.count - 1 && props.count > 1) found.push('callees');
    return found;
  };
  return (
    <span class="cc-callable" style={{ 'padding-left': `${props.row.depth * 16}px` }}>
      <Show when={props.row.frame} fallback={<span class="dim">exclusive</span>}>
        {(frame) => (
          <span class="cc-frame">
            <FunctionName name={frame()} room={props.room - props.row.depth * 16} />
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

/**
 * The sort of the other tables as a sort by the attributed value of the same metric. Null if the columns do not contain
 * this metric.
 */
function attributedSort(sort: string | null, metrics: string): string | null {
  if (sort === null || sort === 'name') return sort;
  const word = sort.replace(/^[eia]\./, 'a.');
  return metrics.split(',').includes(word.replace(/:\w+$/, '')) ? word : null;
}

export const view: ViewDefinition = {
  name: 'callers-callees',
  title: 'Callers & callees',
  question: 'What are the callers and callees of this function, and how much does each contribute?',
  key: 'c',
  order: 30,
  group: 'code',
  component: CallersCallees,
  enter: ({ selected, fragment }) =>
    selected === null || selected.startsWith('<') || fragment.includes(selected) ? {} : { fragment: [selected] },
  keys: [
    ['Enter', 'Make the function of the row the centre'],
    ['a', 'Add the caller or callee to the centre'],
    ['Backspace', 'Remove the outermost function of the centre (in callers) or the innermost one (in callees)'],
  ],
};
