// The table of wakers and of locks: a tree of who waits, who ended the wait, and what that thread did meanwhile.
import { createMemo, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { WakerRow } from '../../engine/answers';
import { cell, counted, grouped, knownPercent, millisCell, percentCell, readable } from '../../format/numbers';
import { inSentences } from '../../format/sentences';
import { Answered, Notes, Toolbar } from '../../parts/parts';
import { createSearch, SearchBox } from '../../parts/search_box';
import { useOption } from '../../parts/use_option';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { CriticalPath } from './critical_path';
import './wait_tree.css';

/** Pixels by which a row is indented below the row above it. */
const INDENT = 20;

/** The value of `sort` for the field by which the engine sorted. */
const SORT_WORDS: Record<string, string> = {
  duration_ns: 'time',
  samples_count: 'waits',
  longest_ns: 'longest',
  name: 'name',
};

export function WaitTree(props: {
  view: 'wakers' | 'locks';
  title: string;
  /** The heading of the column with the sentences. */
  head: string;
  /** What is known for a share of the time: `The holder`. */
  known: string;
}): JSX.Element {
  const app = useApp();
  const [sort, setSort] = useOption<string>(`${props.view}.sort`, '');
  const request = () => ({ ...app.query(props.view), sort: sort() === '' ? null : sort() });
  const rows = useRows(app, request);
  app.offerExport({ request });
  const subtitle = () => {
    const answer = rows.answer();
    if (!answer || answer.known_ratio === null) return '';
    const { duration_ns, samples_count } = answer.total;
    const waited = `${readable(duration_ns, 'nanoseconds')} of waiting in ${counted(samples_count, 'sampled wait')}`;
    return `${waited}. ${props.known} is known for ${knownPercent(answer.known_ratio)}`;
  };
  // Only the rows on screen are loaded.
  const all = app.ask(() => (app.state.search === '' ? null : { ...request(), limit: null }));
  const isMatch = (row: WakerRow) => app.state.search !== '' && row.words.includes(app.state.search);
  const matches = createMemo(() => all.answer()?.rows.flatMap((row, index) => (isMatch(row) ? [index] : [])));
  const search = createSearch(
    () => matches() && { matches: matches()! },
    () => false,
    0,
  );
  const revealed = () => search.found()?.matches[search.match() ?? 0] ?? -1;
  return (
    <>
      <Toolbar title={props.title} subtitle={subtitle()}>
        <SearchBox search={search} hint="text" />
      </Toolbar>
      <Answered asked={rows.asked}>
        <CriticalPath parts={rows.answer()?.critical_path ?? []} />
        <VirtualTable<WakerRow>
          label={props.title}
          columns={columnsOf(props.head)}
          rowCount={rows.rowCount()}
          rowAt={rows.rowAt}
          onVisible={rows.onVisible}
          isStale={rows.isStale()}
          selected={app.state.selected === null ? -1 : rows.find((row) => row.function === app.state.selected)}
          revealed={revealed()}
          rowClass={(row) => (isMatch(row) ? `wt-match${row === rows.rowAt(revealed()) ? ' wt-current' : ''}` : '')}
          sortedBy={SORT_WORDS[rows.answer()?.sorted_by ?? ''] ?? null}
          onSort={setSort}
          onSelect={(row) => row.function !== null && app.select(row.function)}
          onMenu={(row, place) => row.function !== null && app.openFunctionMenu(row.function, place)}
          onPoint={(row) => app.showDetails(row && detailsOf(row))}
          empty={inSentences(rows.answer()?.notes)}
        />
        <Show when={rows.rowCount() > 0}>
          <Notes notes={rows.answer()?.notes} />
        </Show>
      </Answered>
    </>
  );
}

function columnsOf(head: string): TableColumn<WakerRow>[] {
  const number = (title: string, sort: string, text: (row: WakerRow) => string): TableColumn<WakerRow> => ({
    key: sort,
    title,
    width: 'minmax(72px, 88px)',
    isNumber: true,
    sort,
    cell: text,
  });
  const { sort: _, ...share } = number('%', 'ratio', (row) => (row.ratio === null ? '–' : percentCell(row.ratio)));
  return [
    { ...number('Wait s', 'time', (row) => cell(row.duration_ns, 'nanoseconds')), heat: (row) => row.ratio ?? 0 },
    share,
    number('Samples', 'waits', (row) => grouped(row.samples_count)),
    number('Longest ms', 'longest', (row) => millisCell(row.longest_ns)),
    {
      key: 'words',
      title: head,
      width: 'minmax(420px, 1fr)',
      isName: true,
      spare: 24,
      sort: 'name',
      cell: (row) => (
        <span class={`wt-words wt-${row.role}`} style={{ 'padding-left': `${row.depth * INDENT}px` }} title={row.words}>
          {row.words}
        </span>
      ),
    },
  ];
}

function detailsOf(row: WakerRow) {
  const longest = row.longest_ns === null ? [] : [['Longest', readable(row.longest_ns, 'nanoseconds')] as const];
  return {
    name: row.words,
    facts: [counted(row.samples_count, 'sampled wait')],
    values: [['Waiting', readable(row.duration_ns, 'nanoseconds')] as const, ...longest],
  };
}
