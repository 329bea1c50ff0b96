// What an agent in the JVM tells about requests (statements of JDBC), and what stacks tell if nothing else does (endpoints).
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { EndpointRow, NamedStatements, RequestRow, RequestsView, SlowestRequests } from '../../engine/answers';
import { cell, counted, grouped, mean, millisCell, percentCell, readable } from '../../format/numbers';
import { FunctionName } from '../../parts/parts';
import { ShareBar } from '../../parts/share_bar';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { barOf } from './kinds';

/** Number of rows. Later ones have little time. */
const MOST = 30;
/** Number of traces that are shown. */
const MOST_TRACES = 5;

function number<Row>(title: string, width: number, text: (row: Row) => string): TableColumn<Row> {
  return { key: title, title, width: `minmax(${width}px, ${width + 12}px)`, isNumber: true, cell: text };
}

const STATEMENT_COLUMNS: readonly TableColumn<RequestRow>[] = [
  { ...number('% of time', 76, (row) => percentCell(row.ratio ?? 0)), heat: (row) => row.ratio ?? 0 },
  number('Count', 64, (row) => grouped(row.requests_count)),
  number('Per s', 64, (row) => (row.rate_per_second === null ? '–' : mean(row.rate_per_second))),
  number('Mean ms', 68, (row) => millisCell(row.mean_ns)),
  number('p50 ms', 68, (row) => millisCell(row.p50_ns)),
  number('p99 ms', 72, (row) => millisCell(row.p99_ns)),
  number('Longest ms', 80, (row) => millisCell(row.longest_ns)),
  {
    key: 'bar',
    title: 'Where the time goes',
    width: 'minmax(132px, 240px)',
    importance: 1,
    cell: (row) => <ShareBar parts={barOf(row.shares, row.times)} />,
  },
  {
    key: 'sql',
    title: 'SQL',
    width: 'minmax(240px, 1fr)',
    isName: true,
    cell: (row) => <span title={row.name}>{row.name}</span>,
  },
];

const ENDPOINT_COLUMNS: readonly TableColumn<EndpointRow>[] = [
  { ...number('% of time', 76, (row) => percentCell(row.ratio ?? 0)), heat: (row) => row.ratio ?? 0 },
  number('Time s', 68, (row) => cell(row.duration_ns, 'nanoseconds')),
  number('Samples', 68, (row) => grouped(row.samples_count)),
  number('CPU s', 64, (row) => cell(row.times.on_cpu_ns, 'nanoseconds')),
  {
    key: 'bar',
    title: 'Where the time goes',
    width: 'minmax(132px, 240px)',
    importance: 1,
    cell: (row) => <ShareBar parts={barOf(row.shares, null)} />,
  },
  { key: 'framework', title: 'Framework', width: 'minmax(96px, 160px)', cell: (row) => row.framework },
  {
    key: 'endpoint',
    title: 'Endpoint',
    width: 'minmax(240px, 1fr)',
    isName: true,
    cell: (row, _, room) => (
      <Show when={row.function} fallback={<span class="dim">&lt;Framework&gt;</span>}>
        {(name) => <FunctionName name={name()} room={room()} />}
      </Show>
    ),
  },
];

/** The statements of all requests, and the time of threads by endpoint. Shows nothing if there are neither. */
export function PartsOfRequests(props: { answer: RequestsView | undefined; isStale: boolean }): JSX.Element {
  const app = useApp();
  const statements = () => props.answer?.statements.slice(0, MOST) ?? [];
  const endpoints = () => props.answer?.endpoints ?? null;
  const endpointRows = () => endpoints()?.rows.slice(0, MOST) ?? [];
  return (
    <Show when={statements().length > 0 || endpoints() !== null}>
      <section class="rq-parts" aria-label="Parts of requests">
        <Show when={statements().length > 0}>
          <h3>Statements of JDBC, which are parts of requests</h3>
          <VirtualTable<RequestRow>
            label="Statements"
            columns={STATEMENT_COLUMNS}
            rowCount={statements().length}
            rowAt={(index) => statements()[index]}
            isInline
            isStale={props.isStale}
          />
          <More all={props.answer!.statement_row_count} shown={statements().length} what="statements" />
        </Show>
        <Show when={endpoints()}>
          {(found) => (
            <>
              <h3>
                Time of threads by endpoint, from samples. Requests are not seen here, so their number and length are unknown
              </h3>
              <VirtualTable<EndpointRow>
                label="Endpoints"
                columns={ENDPOINT_COLUMNS}
                rowCount={endpointRows().length}
                rowAt={(index) => endpointRows()[index]}
                onSelect={(row) => row.function !== null && app.select(row.function)}
                onMenu={(row, place) => row.function !== null && app.openFunctionMenu(row.function, place)}
                isInline
                isStale={props.isStale}
              />
              <More all={found().row_count} shown={endpointRows().length} what="endpoints" />
            </>
          )}
        </Show>
      </section>
    </Show>
  );
}

const SLOW_COLUMNS: readonly TableColumn<NamedStatements>[] = [
  number('more ms', 72, (row) => millisCell(row.difference_ns)),
  { ...number('ms', 72, (row) => millisCell(row.slowest_ns)), group: 'slowest', key: 'slowest_ns' },
  { ...number('ms', 72, (row) => millisCell(row.others_ns)), group: 'others', key: 'others_ns' },
  { ...number('count', 64, (row) => mean(row.slowest_per_request)), group: 'slowest', key: 'slowest_count' },
  { ...number('count', 64, (row) => mean(row.others_per_request)), group: 'others', key: 'others_count' },
  {
    key: 'sql',
    title: 'SQL',
    width: 'minmax(240px, 1fr)',
    isName: true,
    cell: (row) => <span title={row.name}>{row.name}</span>,
  },
];

/** The statements of the slowest requests and of the others, per request, and the traces of the slowest. */
export function PartsOfSlowest(props: { slowest: SlowestRequests; isStale: boolean }): JSX.Element {
  const statements = () => props.slowest.statements?.by_name.slice(0, MOST) ?? [];
  const traces = () => props.slowest.traces ?? [];
  return (
    <>
      <Show when={statements().length > 0}>
        <h3>Statements of JDBC per request</h3>
        <VirtualTable<NamedStatements>
          label="Statements of the slowest and of the others"
          columns={SLOW_COLUMNS}
          rowCount={statements().length}
          rowAt={(index) => statements()[index]}
          isInline
          isStale={props.isStale}
        />
        <More all={props.slowest.statements!.name_count} shown={statements().length} what="statements" />
      </Show>
      <Show when={traces().length > 0}>
        <p class="rq-stops">
          Traces of the slowest {counted(Math.min(traces().length, MOST_TRACES), 'request')}:{' '}
          {traces()
            .slice(0, MOST_TRACES)
            .map((trace) => `${trace.trace} (${readable(trace.length_ns, 'nanoseconds')})`)
            .join(', ')}
        </p>
      </Show>
    </>
  );
}

function More(props: { all: number; shown: number; what: string }): JSX.Element {
  return (
    <Show when={props.all > props.shown}>
      <p class="rq-stops">
        {grouped(props.all - props.shown)} more {props.what} are not shown.
      </p>
    </Show>
  );
}
