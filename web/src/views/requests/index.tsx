// The requests that a server answered: number, length, and where their time went. A row opens the comparison of its slowest
// requests with the others.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { RequestRow } from '../../engine/answers';
import { cell, counted, grouped, mean, millisCell, percentCell, readable } from '../../format/numbers';
import { inSentences } from '../../format/sentences';
import { Answered, Notes, Toolbar } from '../../parts/parts';
import { Legend, ShareBar } from '../../parts/share_bar';
import { useOption } from '../../parts/use_option';
import { withRequests } from '../../state/filter_parts';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';
import { barOf, KINDS, shareOf, timeOf } from './kinds';
import { PartsOfRequests } from './parts_of_requests';
import { Slowest } from './slowest';
import './requests.css';

/** The value of `sort` for the field by which the engine sorted. */
const SORT_WORDS: Record<string, string> = {
  duration_ns: 'time',
  requests_count: 'count',
  mean_ns: 'mean',
  p50_ns: 'p50',
  p99_ns: 'p99',
  longest_ns: 'longest',
  on_cpu_ns: 'cpu',
  errors_count: 'errors',
  name: 'name',
};

function Requests(): JSX.Element {
  const app = useApp();
  const [sort, setSort] = useOption<string>('requests.sort', '');
  /** The port and the name of the row whose slowest requests are shown, with a space between. */
  const [opened, setOpened] = useOption<string>('requests.open', '');
  const request = () => ({ ...app.query('requests'), sort: sort() === '' ? null : sort() });
  const rows = useRows(app, request);
  app.offerExport({ request });
  const isOpened = (row: RequestRow) => keyOf(row) === opened();
  const total = () => rows.answer()?.total;
  const isOnlyEndpoints = () => rows.answer()?.row_count === 0 && (rows.answer()?.endpoints ?? null) !== null;
  const legend = () => KINDS.filter((kind) => total() && shareOf(total()!.shares, kind) > 0);
  const showOnly = (name: string, longerThan: number | null) => {
    app.navigate({ filter: withRequests(app.state.filter, name, longerThan) });
    app.say(`All views show only ${longerThan === null ? '' : 'the slowest of '}${name}`);
  };
  return (
    <>
      <Toolbar title="Requests" subtitle={subtitle(total()?.requests_count, rows.answer()?.range_ns)}>
        <Legend entries={legend()} />
      </Toolbar>
      <Answered asked={rows.asked}>
        <div class="rq-panes" classList={{ 'rq-open': opened() !== '', 'rq-endpoints': isOnlyEndpoints() }}>
          <VirtualTable<RequestRow>
            label="Requests"
            columns={columnsOf(rows.answer()?.has_ports ?? false)}
            rowCount={rows.rowCount()}
            rowAt={rows.rowAt}
            onVisible={rows.onVisible}
            isStale={rows.isStale()}
            selected={rows.find(isOpened)}
            sortedBy={SORT_WORDS[rows.answer()?.sorted_by ?? ''] ?? null}
            onSort={setSort}
            onSelect={(row) => setOpened(keyOf(row), { replace: opened() !== '' })}
            onActivate={(row) => showOnly(row.name, null)}
            onPoint={(row) => app.showDetails(row && detailsOf(row))}
            empty={inSentences(rows.answer()?.notes)}
          />
          <Show when={opened() === ''}>
            <PartsOfRequests answer={rows.answer()} isStale={rows.isStale()} />
          </Show>
          <Show when={opened() !== ''}>
            <Slowest {...named(opened())} onClose={() => setOpened('')} onFilter={showOnly} />
          </Show>
        </div>
        <Show when={rows.rowCount() > 0 || isOnlyEndpoints()}>
          <Notes notes={rows.answer()?.notes} />
        </Show>
      </Answered>
    </>
  );
}

function subtitle(count: number | undefined, rangeNs: number | undefined): string {
  if (!count || !rangeNs) return '';
  return `${counted(count, 'request')} in ${readable(rangeNs, 'nanoseconds')}. Select a row to see what its slowest requests did`;
}

const keyOf = (row: RequestRow) => `${row.port} ${row.name}`;

function named(key: string): { port: number; name: string } {
  const end = key.indexOf(' ');
  return { port: Number(key.slice(0, end)), name: key.slice(end + 1) };
}

function columnsOf(hasPorts: boolean): TableColumn<RequestRow>[] {
  const number = (title: string, sort: string, width: number, text: (row: RequestRow) => string): TableColumn<RequestRow> => ({
    key: sort,
    title,
    width: `minmax(${width}px, ${width + 12}px)`,
    isNumber: true,
    sort,
    cell: text,
  });
  const { sort: _, ...perSecond } = number('Per s', 'rate', 64, (row) =>
    row.rate_per_second === null ? '–' : mean(row.rate_per_second),
  );
  return [
    { ...number('% of time', 'time', 76, (row) => percentCell(row.ratio ?? 0)), heat: (row) => row.ratio ?? 0 },
    number('Count', 'count', 64, (row) => grouped(row.requests_count)),
    perSecond,
    number('Mean ms', 'mean', 68, (row) => millisCell(row.mean_ns)),
    number('p50 ms', 'p50', 68, (row) => millisCell(row.p50_ns)),
    number('p99 ms', 'p99', 72, (row) => millisCell(row.p99_ns)),
    number('Longest ms', 'longest', 80, (row) => millisCell(row.longest_ns)),
    number('CPU ms', 'cpu', 64, (row) => millisCell(row.times?.on_cpu_ns ?? null)),
    number('Errors', 'errors', 56, (row) => grouped(row.errors_count)),
    {
      key: 'bar',
      title: 'Where the time goes',
      width: 'minmax(156px, 480px)',
      importance: 1,
      cell: (row) => <ShareBar parts={barOf(row.shares, row.times)} />,
    },
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(180px, 1fr)',
      isName: true,
      spare: 24,
      sort: 'name',
      cell: (row) => (
        <span title={row.name}>
          {row.name}
          <Show when={hasPorts && row.port !== 0}>
            <span class="dim"> port {row.port}</span>
          </Show>
        </span>
      ),
    },
  ];
}

/** Items that an agent marks have no port. */
const portOf = (row: RequestRow) => (row.port === 0 ? [] : [`port ${row.port}`]);

function detailsOf(row: RequestRow) {
  const size = (bytes: number | null) => (bytes === null ? '–' : readable(bytes, 'bytes'));
  const times = KINDS.map((kind) => [kind.title, timeOf(row.times, kind)] as const).filter(
    ([, time]) => time !== null && time > 0,
  );
  return {
    name: row.name,
    facts: [...portOf(row), `${grouped(row.timed_count)} with times`, `${cell(row.duration_ns, 'nanoseconds')} s`],
    values: [
      ...times.map(([title, time]) => [title, `${millisCell(time)} ms`] as const),
      ['Read', size(row.read_bytes_per_request)] as const,
      ['Written', size(row.written_bytes_per_request)] as const,
      ...(row.client_errors_count > 0 ? [['Client errors', grouped(row.client_errors_count)] as const] : []),
    ],
  };
}

export const view: ViewDefinition = {
  name: 'requests',
  title: 'Requests',
  question: 'How long did each kind of request take, and where did the time go?',
  key: 'r',
  order: 92,
  group: 'time',
  component: Requests,
  missing: (experiment) =>
    experiment.comparison
      ? 'Requests of two versions are not compared. Open one of the experiments to see its requests'
      : (experiment.no_requests ?? undefined),
  keys: [
    ['↑ ↓', 'Show what the slowest requests of the row did'],
    ['Enter', 'Show only these requests in all views'],
  ],
};
