// Threads with their sampled and counted CPU time, and their waits. A thread can become the filter of all views.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { metricColumns, sortedWord } from '../../columns/metric_columns';
import { describeValues } from '../../columns/values';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { comparisonOf, sortShown } from '../../compare/use_comparison';
import type { Column, ThreadRow } from '../../engine/answers';
import { counted, readable } from '../../format/numbers';
import { Answered, Toolbar } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { type NamedThread, namedLike, threadPart, withThread } from '../../state/filter_parts';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { STATE_COLOURS, stateColour } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { type Share, sharesOf } from './shares';
import './threads.css';

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
  const rows = useRows(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const isChosen = (row: ThreadRow) =>
    app.state.filter.includes(comparisonOf(app) ? namedLike(row.thread) : threadPart(named(row)));
  const toggle = (row: ThreadRow) => {
    const wasChosen = isChosen(row);
    const { filter } = app.state;
    if (comparisonOf(app))
      app.navigate({
        filter: wasChosen ? filter.filter((part) => part !== namedLike(row.thread)) : [...filter, namedLike(row.thread)],
      });
    else app.navigate({ filter: withThread(filter, wasChosen ? null : named(row)) });
    app.say(wasChosen ? 'All threads' : `Only thread ${row.thread}`);
  };
  /** The kernel's counts belong to the threads of one experiment, so a comparison does not show them. */
  const counts = (): TableColumn<ThreadRow>[] =>
    comparisonOf(app)
      ? []
      : [
          exact('exact_cpu_ns', 'CPU'),
          exact('run_queue_ns', 'run queue'),
          exact('blocked_ns', 'blocked'),
          {
            key: 'states',
            group: 'Time breakdown',
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
          <span class="th-text" classList={{ 'th-chosen': isChosen(row) }}>
            {row.thread || '(no name)'}
          </span>
          <span class="dim">{row.class.replaceAll('_', ' ')}</span>
          <button
            type="button"
            tabIndex={-1}
            class="button small th-only"
            aria-label={`${isChosen(row) ? 'All threads instead of' : 'Only'} ${row.thread}`}
            onClick={() => toggle(row)}
          >
            {isChosen(row) ? 'All threads' : 'Only this'}
          </button>
        </span>
      ),
    },
    { key: 'id', title: 'Thread id', width: '84px', isNumber: true, cell: (row) => <span class="dim">{row.thread_id}</span> },
  ];
  return (
    <>
      <Toolbar
        title="Threads"
        subtitle={
          rows.answer() &&
          `${counted(rows.rowCount(), 'thread')}. Press Enter or double-click to show only one thread in all views.`
        }
      >
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
          empty="No threads match the filter."
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
      return value === null ? <span class="dim">–</span> : readable(value, 'nanoseconds');
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
    facts: [row.class.replaceAll('_', ' '), row.process_id === null ? '' : `process ${row.process_id}`, ...shares],
    values: describeValues(columns, row),
  };
}

export const view: ViewDefinition = {
  name: 'threads',
  title: 'Threads',
  question: 'How much CPU time did each thread use, and what did it wait for?',
  key: 'h',
  order: 90,
  group: 'time',
  component: ThreadsView,
  keys: [['Enter', 'Show only this thread in all views; press again for all threads']],
};
