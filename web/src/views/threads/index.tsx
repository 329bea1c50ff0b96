// Threads: their CPU time, sampled and counted, and what they waited for. A thread can be made the filter of all views.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { comparisonOf, sortShown } from '../../compare/use_comparison';
import type { Column, Values } from '../../engine/shapes';
import { counted, readable } from '../../format/numbers';
import { Answered, Toolbar } from '../../shell/parts';
import { describeValues } from '../../shell/values';
import { metricColumns, sortedWord } from '../../table/metric_columns';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { STATE_COLOURS, stateColour } from '../../theme/colours';
import { type NamedThread, namedLike, threadPart, withThread } from '../../state/filter_parts';
import { useOption } from '../../state/options';
import type { ViewDefinition } from '../registry';
import { type Share, type ThreadRow, sharesOf } from './shares';
import './threads.css';

interface Threads {
  columns: Column[];
  sorted_by: string;
  notes: string[];
  total: Values;
  row_count: number;
  rows: ThreadRow[];
}

function ThreadsView(): JSX.Element {
  const app = useApp();
  const [sort, setSort] = useOption<string>('threads.sort', '');
  const request = () => {
    const metric = app.metric()?.name;
    return metric === undefined
      ? null
      : comparisonOf(app)
        ? { ...app.query('threads'), metrics: metric, sort: sort() === '' ? sortShown(app, metric) : sort() }
        : { ...app.query('threads'), metrics: `${metric},${metric}%`, sort: sort() === '' ? null : sort() };
  };
  const rows = useRows<ThreadRow, Threads>(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const isChosen = (row: ThreadRow) => app.state.filter.includes(comparisonOf(app) ? namedLike(row.thread) : threadPart(named(row)));
  const toggle = (row: ThreadRow) => {
    const wasChosen = isChosen(row);
    const { filter } = app.state;
    if (comparisonOf(app)) app.navigate({ filter: wasChosen ? filter.filter((part) => part !== namedLike(row.thread)) : [...filter, namedLike(row.thread)] });
    else app.navigate({ filter: withThread(filter, wasChosen ? null : named(row)) });
    app.say(wasChosen ? 'All threads' : `Only thread ${row.thread}`);
  };
  /** What the kernel counted is of one experiment's threads. */
  const counts = (): TableColumn<ThreadRow>[] =>
    comparisonOf(app)
      ? []
      : [
          exact('exact_cpu_ns', 'CPU'),
          exact('run_queue_ns', 'in queue'),
          exact('blocked_ns', 'blocked'),
          {
            key: 'states',
            group: 'What it did while it lived',
            title: 'CPU, queue, waits',
            width: 'minmax(120px, 240px)',
            cell: (row) => <Shares shares={sharesOf(row)} />,
          },
        ];
  const all = (): TableColumn<ThreadRow>[] => [
    ...metricColumns<ThreadRow>(columns(), rows.answer()?.total),
    ...counts(),
    {
      key: 'thread',
      title: 'Thread',
      width: 'minmax(200px, 1fr)',
      sort: 'name',
      cell: (row) => (
        <span class="th-name">
          {presenceMark(columns())?.(row)}
          <span class="th-text" classList={{ 'th-chosen': isChosen(row) }}>{row.thread || '(no name)'}</span>
          <span class="dim">{(row.class ?? '').replaceAll('_', ' ')}</span>
          <button type="button" tabIndex={-1} class="button small th-only" aria-label={`${isChosen(row) ? 'All threads instead of' : 'Only'} ${row.thread}`} onClick={() => toggle(row)}>
            {isChosen(row) ? 'All threads' : 'Only this'}
          </button>
        </span>
      ),
    },
    { key: 'id', title: 'Thread id', width: '84px', isNumber: true, cell: (row) => <span class="dim">{row.thread_id}</span> },
  ];
  return (
    <>
      <Toolbar title="Threads" subtitle={rows.answer() && `${counted(rows.rowCount(), 'thread')}. Enter or a double click shows one alone in all views.`}>
        <Legend rows={rows.answer()?.rows ?? []} />
      </Toolbar>
      <Answered asked={rows.asked}>
        <VirtualTable<ThreadRow>
          label="Threads"
          columns={all()}
          rowCount={rows.rowCount()}
          rowAt={rows.rowAt}
          onVisible={rows.onVisible}
          isStale={rows.isStale()}
          selected={rows.find(isChosen)}
          sortedBy={sortedWord(columns(), rows.answer()?.sorted_by)?.replace(/^[ei]\./, '') ?? null}
          onSort={setSort}
          onActivate={toggle}
          onPoint={(row) => app.showDetails(row && detailsOf(row, columns()))}
          empty="No thread is left by the filter."
        />
        <ComparedNotes notes={rows.answer()?.notes} />
      </Answered>
    </>
  );
}

function named(row: ThreadRow): NamedThread {
  return { name: row.thread, row: row.thread_index, hasOwnName: row.has_own_name };
}

function exact(field: 'exact_cpu_ns' | 'run_queue_ns' | 'blocked_ns', title: string): TableColumn<ThreadRow> {
  return {
    key: field,
    group: 'Counted',
    title,
    width: 'minmax(76px, 96px)',
    isNumber: true,
    cell: (row) => {
      const value = row[field];
      return typeof value === 'number' ? readable(value, 'nanoseconds') : <span class="dim">–</span>;
    },
  };
}

function Shares(props: { shares: readonly Share[] }): JSX.Element {
  return (
    <span class="th-shares" role="img" aria-label={props.shares.map((share) => share.text).join(', ')}>
      <For each={props.shares}>
        {(share) => <span style={{ width: `${share.ratio * 100}%`, background: stateColour(share.state) }} title={share.text} />}
      </For>
    </span>
  );
}

function Legend(props: { rows: readonly ThreadRow[] }): JSX.Element {
  const states = () => {
    const seen = new Set(props.rows.flatMap((row) => sharesOf(row).map((share) => share.state)));
    return Object.keys(STATE_COLOURS).filter((state) => seen.has(state));
  };
  return (
    <Show when={states().length > 0}>
      <ul class="th-legend" aria-label="Colours">
        <For each={states()}>
          {(state) => (
            <li>
              <span style={{ background: stateColour(state) }} />
              {STATE_COLOURS[state]?.title}
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function detailsOf(row: ThreadRow, columns: readonly Column[]) {
  const shares = sharesOf(row).map((share) => share.text);
  return {
    name: row.thread,
    facts: [(row.class ?? '').replaceAll('_', ' '), row.process_id === undefined ? '' : `process ${row.process_id}`, ...shares],
    values: describeValues(columns, row),
  };
}

export const view: ViewDefinition = {
  name: 'threads',
  title: 'Threads',
  question: 'Which threads, what did the kernel count for them, and what did they wait for?',
  key: 'h',
  order: 90,
  group: 'time',
  component: ThreadsView,
  keys: [['Enter', 'Only this thread, in all views; again: all threads']],
};
