// System calls: their number, bytes, duration, file and caller.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { describeValues } from '../../columns/values';
import { comparedColumns } from '../../compare/compared_columns';
import type { ComparedSyscallsView, SyscallRow, SyscallsView, Values } from '../../engine/answers';
import { grouped, mean, meanOfTransfers, readable } from '../../format/numbers';
import { quoted } from '../../format/quoting';
import { Answered, FunctionName, Notes, Toolbar } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';
import { type AnySyscallRow, type AnySyscalls, callColumns, callSort, callValues, isCompared, isComparedRow } from './compared';
import './syscalls.css';

const PARTS = [
  ['call', 'Call'],
  ['file', 'File'],
  ['caller', 'Caller'],
] as const;

/** The value of `sort` for the field by which the engine sorted. */
const SORT_WORDS: Record<string, string> = {
  calls_count: 'calls',
  errors_count: 'errors',
  bytes: 'bytes',
  bytes_per_call: 'bytes_per_call',
  duration_ns: 'time',
  p99_latency_ns: 'p99',
  name: 'name',
};

function SystemCalls(): JSX.Element {
  const app = useApp();
  const [by, setBy] = useOption<string>('syscalls.by', 'call,file,caller');
  const [sort, setSort] = useOption<string>('syscalls.sort', '');
  const request = () => ({ ...app.query('syscalls'), by: by(), sort: sort() === '' ? null : sort() });
  const rows = useRows(app, request);
  app.offerExport({ request });
  const toggle = (part: string) => {
    const has = by().split(',').includes(part);
    const chosen = PARTS.map(([name]) => name).filter((name) => (name === part ? !has : by().split(',').includes(name)));
    if (chosen.length > 0) setBy(chosen.join(','));
  };
  return (
    <>
      <Toolbar title="System calls" subtitle={<Totals answer={rows.answer()} />}>
        <div class="segments" role="group" aria-label="Group by">
          <For each={PARTS}>
            {([part, title]) => (
              <button type="button" aria-pressed={by().split(',').includes(part)} onClick={() => toggle(part)}>
                {title}
              </button>
            )}
          </For>
        </div>
      </Toolbar>
      <Answered asked={rows.asked}>
        <VirtualTable<AnySyscallRow>
          label="System calls"
          columns={columnsOf(rows.answer())}
          rowCount={rows.rowCount()}
          rowAt={rows.rowAt}
          onVisible={rows.onVisible}
          isStale={rows.isStale()}
          selected={app.state.selected === null ? -1 : rows.find((row) => row.caller === app.state.selected)}
          sortedBy={SORT_WORDS[rows.answer()?.sorted_by ?? ''] ?? null}
          onSort={(word) => setSort(word)}
          onSelect={(row) => isFunction(row.caller) && app.select(row.caller)}
          onActivate={(row) => isFunction(row.caller) && app.addFilter(`stack has ${quoted(row.caller)}`)}
          onMenu={(row, place) => isFunction(row.caller) && app.openFunctionMenu(row.caller, place)}
          onPoint={(row) => app.showDetails(row && detailsOf(row))}
          empty="No system calls match the filter."
        />
        <Notes notes={rows.answer()?.notes} />
      </Answered>
    </>
  );
}

function Totals(props: { answer: AnySyscalls | undefined }): JSX.Element {
  const text = () => {
    const { answer } = props;
    if (!answer) return '';
    if (isCompared(answer))
      return describeValues(callColumns(), callValues(answer.total)).map(([title, words]) => `${title} ${words}`)[0];
    const { calls_count, errors_count } = answer.total;
    const bytes = answer.bytes_per_moving_call === null ? '' : `, ${meanOfTransfers(answer.bytes_per_moving_call)}`;
    return `${grouped(calls_count)} calls, ${grouped(errors_count)} errors${bytes}`;
  };
  return <>{text()}</>;
}

function isFunction(name: string | null): name is string {
  return name !== null && name !== '' && !name.startsWith('<');
}

function columnsOf(answer: AnySyscalls | undefined): TableColumn<AnySyscallRow>[] {
  if (!answer) return [];
  const columns: TableColumn<AnySyscallRow>[] = [];
  const { by } = answer;
  const last = by.at(-1);
  if (by.includes('call')) {
    columns.push({
      key: 'call',
      title: 'Call',
      width: 'minmax(104px, 136px)',
      sort: 'name',
      importance: 3,
      isName: last === 'call',
      cell: (row) => <strong class="sc-call">{row.call}</strong>,
    });
  }
  if (by.includes('file')) {
    columns.push({
      key: 'file',
      title: 'File',
      width: last === 'file' ? 'minmax(160px, 1fr)' : 'minmax(160px, 320px)',
      importance: 1,
      isName: last === 'file',
      cell: (row) => <FileName row={row} />,
    });
  }
  if (by.includes('caller')) {
    columns.push({
      key: 'caller',
      title: 'Caller',
      width: 'minmax(280px, 1.6fr)',
      isName: true,
      cell: (row, _, room) => <FunctionName name={row.caller ?? ''} room={room()} />,
    });
  }
  return [...columns, ...(isCompared(answer) ? comparedCalls(answer) : calls(answer))];
}

/** Columns with the values of one experiment. A row with both sides is never in a table with these columns. */
function calls({ total }: SyscallsView): TableColumn<AnySyscallRow>[] {
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const number = (
    key: string,
    title: string,
    text: (row: SyscallRow) => string,
    {
      heat,
      ...more
    }: Pick<Partial<TableColumn<SyscallRow>>, 'description' | 'group' | 'heat' | 'importance' | 'sort' | 'width'> = {},
  ): TableColumn<AnySyscallRow> => ({
    key,
    title,
    width: 'minmax(84px, 92px)',
    isNumber: true,
    cell: (row) => (isComparedRow(row) ? '' : text(row)),
    ...(heat ? { heat: (row: AnySyscallRow) => (isComparedRow(row) ? 0 : heat(row)) } : {}),
    ...more,
  });
  const about = (row: SyscallRow, value: string) => (row.is_estimate ? `≈ ${value}` : value);
  const latency = (value: number | null) => (value === null ? '–' : readable(value, 'nanoseconds'));
  return [
    number('calls', 'Calls', (row) => about(row, grouped(row.calls_count)), {
      sort: 'calls',
      width: 'minmax(84px, 116px)',
      importance: 4,
      heat: (row) => share(row.calls_count, total.calls_count),
    }),
    number('errors', 'Errors', (row) => about(row, grouped(row.errors_count)), { sort: 'errors', width: 'minmax(64px, 84px)' }),
    number('bytes', 'Bytes', (row) => (row.bytes === 0 ? '–' : about(row, readable(row.bytes, 'bytes'))), {
      sort: 'bytes',
      heat: (row) => share(row.bytes, total.bytes),
    }),
    number('bytes_per_call', 'Bytes/call', (row) => (!row.bytes_per_call ? '–' : mean(row.bytes_per_call)), {
      sort: 'bytes_per_call',
      importance: 2,
      description: 'Mean bytes per call, of all calls of the row',
    }),
    number('time', 'Time', (row) => about(row, readable(row.duration_ns, 'nanoseconds')), {
      sort: 'time',
      importance: 4,
      heat: (row) => share(row.duration_ns, total.duration_ns),
    }),
    number('p50', 'p50', (row) => latency(row.p50_latency_ns), { group: 'Latency' }),
    number('p99', 'p99', (row) => latency(row.p99_latency_ns), { group: 'Latency', sort: 'p99' }),
    // Of a row that is an estimate, the longest sampled call is known.
    number('longest', 'longest', (row) => `${row.is_estimate ? '≥ ' : ''}${latency(row.longest_ns)}`, { group: 'Latency' }),
  ];
}

/** Columns with the values of both sides. A row without sides is never in a table with these columns. */
function comparedCalls(answer: ComparedSyscallsView): TableColumn<AnySyscallRow>[] {
  const columns = callColumns();
  const valuesOf = (row: AnySyscallRow): Values => (isComparedRow(row) ? callValues(row) : {});
  return comparedColumns<Values>(columns, callValues(answer.total)).map((column, index) => {
    const { key, title, width, group = '', under } = column;
    const sort = callSort(columns[index]!);
    return {
      key,
      title,
      width,
      group,
      isNumber: true,
      ...(sort === undefined ? {} : { sort }),
      cell: (row: AnySyscallRow, at: number, room: () => number) => column.cell(valuesOf(row), at, room),
      ...(under ? { under: (row: AnySyscallRow) => under(valuesOf(row)) } : {}),
    };
  });
}

/** The end of a path is the most useful part, so the beginning is cut. */
function FileName(props: { row: AnySyscallRow }): JSX.Element {
  return (
    <Show when={props.row.file} fallback={<span class="dim">{props.row.file_kind === 'none' ? '–' : props.row.file_kind}</span>}>
      {(file) => (
        <span class="sc-file" title={file()}>
          <bdi>{file()}</bdi>
        </span>
      )}
    </Show>
  );
}

function detailsOf(row: AnySyscallRow) {
  const of = [row.call, row.file, row.caller].filter((part) => part).join(' · ');
  if (isComparedRow(row)) return { name: of, values: describeValues(callColumns(), callValues(row)) };
  return {
    name: of,
    facts: [
      row.is_estimate
        ? `distributed in proportion to ${grouped(row.sampled_count)} sampled calls`
        : `${grouped(row.sampled_count)} sampled calls`,
    ],
    values: [
      ['Calls', grouped(row.calls_count)],
      ['Bytes', readable(row.bytes, 'bytes')],
      ['Time', readable(row.duration_ns, 'nanoseconds')],
    ] as const,
  };
}

export const view: ViewDefinition = {
  name: 'syscalls',
  title: 'System calls',
  question: 'Which system calls were made, by which functions, on which files, and how long did they take?',
  key: 'y',
  order: 100,
  group: 'system',
  component: SystemCalls,
  missing: (experiment) =>
    experiment.has_syscalls ? undefined : 'The engine that collected this experiment does not record system calls',
  keys: [['Enter', 'Show only stacks with the caller']],
};
