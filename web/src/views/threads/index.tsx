// Threads with their sampled and counted CPU time, and their waits. A pool of threads is one row, which opens. A thread or a
// pool can become the filter of all views.
import { createMemo, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { metricColumns, sortedWord } from '../../columns/metric_columns';
import { describeValues } from '../../columns/values';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { comparisonOf, sortShown } from '../../compare/use_comparison';
import type { Column, ThreadRow } from '../../engine/answers';
import { counted, grouped, readable } from '../../format/numbers';
import { Answered, Toolbar } from '../../parts/parts';
import { Legend, ShareBar } from '../../parts/share_bar';
import { useOption } from '../../parts/use_option';
import { type NamedThread, threadPart, withThread } from '../../state/filter_parts';
import { openPools, withPoolToggled } from '../../state/open_pools';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { STATE_COLOURS, stateColour } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { sharesOf } from './shares';
import './threads.css';

const OPEN = 'threads.open';
/** Pixels by which a thread is indented below its pool. */
const INDENT = 20;
/** A narrower column of names shows the name and the number of threads only. */
const FACTS_PX = 280;

function ThreadsView(): JSX.Element {
  const app = useApp();
  const [sort, setSort] = useOption<string>('threads.sort', '');
  const open = createMemo(() => openPools(app.state.options[OPEN]));
  const request = () => {
    const metric = app.metric()?.name;
    return metric === undefined
      ? null
      : comparisonOf(app)
        ? { ...app.query('threads'), metrics: metric, sort: sort() === '' ? sortShown(app, metric) : sort() }
        : { ...app.query('threads'), metrics: `${metric},${metric}%`, sort: sort() === '' ? null : sort(), open: open() };
  };
  const rows = useRows(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const isChosen = (row: ThreadRow) => app.state.filter.includes(threadPart(named(row)));
  const toggle = (row: ThreadRow) => {
    const wasChosen = isChosen(row);
    app.navigate({ filter: withThread(app.state.filter, wasChosen ? null : named(row)) });
    app.say(wasChosen ? 'All threads' : `Only ${row.thread}`);
  };
  /** The rows of a comparison have threads of several runs, and do not open. */
  const canOpen = (row: ThreadRow) => row.is_pool && !comparisonOf(app);
  const isOpen = (row: ThreadRow) => open().includes(row.thread_index);
  const toggleOpen = (row: ThreadRow) => {
    const { options } = app.state;
    app.navigate({ options: { ...options, [OPEN]: withPoolToggled(options[OPEN], row.thread_index) } });
  };
  const press = (event: KeyboardEvent, row: ThreadRow | undefined): boolean => {
    const isToggled = row !== undefined && canOpen(row) && (isOpen(row) ? event.key === 'ArrowLeft' : event.key === 'ArrowRight');
    if (isToggled) toggleOpen(row);
    return isToggled;
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
            width: 'minmax(136px, 400px)',
            importance: 1,
            cell: (row) => <ShareBar parts={sharesOf(row).map((share) => ({ ...share, colour: stateColour(share.state) }))} />,
          },
        ];
  const all = (): TableColumn<ThreadRow>[] => [
    ...metricColumns<ThreadRow>(columns(), rows.answer()?.total),
    ...counts(),
    {
      key: 'thread',
      title: 'Thread',
      width: 'minmax(300px, 1fr)',
      isName: true,
      // For the button that a row shows under the pointer.
      spare: 96,
      sort: 'name',
      cell: (row, _, room) => (
        <span
          class="th-name"
          classList={{ 'th-narrow': room() < FACTS_PX }}
          style={{ 'padding-left': `${row.depth * INDENT}px` }}
        >
          <Show when={canOpen(row)}>
            <button
              type="button"
              tabIndex={-1}
              class="th-open"
              aria-expanded={isOpen(row)}
              aria-label={`${isOpen(row) ? 'Close' : 'Open'} ${row.thread}`}
              onClick={() => toggleOpen(row)}
            >
              {isOpen(row) ? '▾' : '▸'}
            </button>
          </Show>
          {presenceMark(columns())?.(row)}
          <span class="th-text" classList={{ 'th-chosen': isChosen(row) }}>
            {row.thread || '(no name)'}
          </span>
          <Show when={canOpen(row)}>
            <span class="th-count">{room() < FACTS_PX ? grouped(row.threads_count) : counted(row.threads_count, 'thread')}</span>
          </Show>
          <Show when={room() >= FACTS_PX}>
            <span class="dim">{row.class.replaceAll('_', ' ')}</span>
          </Show>
          <button
            type="button"
            tabIndex={-1}
            class="button small th-only"
            aria-label={`${isChosen(row) ? 'All threads instead of' : 'Only'} ${row.thread}`}
            onClick={() => toggle(row)}
          >
            {isChosen(row) ? 'All' : 'Only'}
            {room() < FACTS_PX ? '' : isChosen(row) ? ' threads' : ' this'}
          </button>
        </span>
      ),
    },
    {
      key: 'id',
      title: 'Thread id',
      width: '84px',
      importance: -1,
      isNumber: true,
      cell: (row) => <span class="dim">{row.thread_id}</span>,
    },
  ];
  return (
    <>
      <Toolbar
        title="Threads"
        subtitle={
          rows.answer() &&
          `${counted(rows.answer()?.threads_count ?? 0, 'thread')}. A pool of threads is one row: → opens it. Press Enter or double-click to show only one row in all views.`
        }
      >
        <Legend entries={legendOf(rows.answer()?.rows ?? [])} />
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
          onKey={press}
          onPoint={(row) => app.showDetails(row && detailsOf(row, columns()))}
          empty="No threads match the filter."
        />
        <ComparedNotes notes={rows.answer()?.notes} />
      </Answered>
    </>
  );
}

function named(row: ThreadRow): NamedThread {
  return { name: row.thread, row: row.thread_index, hasOwnName: row.has_own_name, isPool: row.is_pool };
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

/** The states of the rows, in the order of the colours. */
function legendOf(rows: readonly ThreadRow[]) {
  const seen = new Set(rows.flatMap((row) => sharesOf(row).map((share) => share.state)));
  const known = Object.entries(STATE_COLOURS).filter(([state]) => seen.has(state));
  return known.map(([state, { title }]) => ({ title, colour: stateColour(state) }));
}

function detailsOf(row: ThreadRow, columns: readonly Column[]) {
  const shares = sharesOf(row).map((share) => share.text);
  return {
    name: row.thread,
    facts: [
      row.is_pool ? counted(row.threads_count, 'thread') : '',
      row.class.replaceAll('_', ' '),
      row.process_id === null ? '' : `process ${row.process_id}`,
      ...shares,
    ],
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
  keys: [
    ['Enter', 'Show only this thread or pool in all views; press again for all threads'],
    ['→ ←', 'Open or close a pool'],
  ],
};
