// What the slowest requests of a name did that the others did not: kinds of time, stops of the JVM, and places in code.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { PlaceDifference, SlowestRequests, StopDifference } from '../../engine/answers';
import { grouped, millisCell, readable } from '../../format/numbers';
import { Answered, FunctionName, Notes, Segments } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { kindNamed } from './kinds';
import { PartsOfSlowest } from './parts_of_requests';

/** Number of places. Later places have small differences. */
const MOST_PLACES = 30;

const SHARES = [
  ['10%', '10 %'],
  ['1%', '1 %'],
  ['0.1%', '0.1 %'],
] as const;

/** Mean times per request. */
type TimeDifference = Pick<StopDifference, 'slowest_ns' | 'others_ns' | 'difference_ns'>;

/** A row of the table of kinds. */
interface KindRow {
  words: string;
  colour: string;
  times: TimeDifference;
}

export function Slowest(props: {
  name: string;
  port: number;
  onClose(): void;
  onFilter(name: string, longerThan: number | null): void;
}): JSX.Element {
  const app = useApp();
  const [share, setShare] = useOption<string>('requests.slowest', '1%');
  const request = () => ({
    ...app.query('requests'),
    slowest: share(),
    request: props.name,
    port: props.port,
    limit: MOST_PLACES,
  });
  const asked = app.ask(request);
  const slowest = () => asked.answer()?.slowest;
  return (
    <section class="rq-slowest" aria-label={`The slowest requests of ${props.name}`}>
      <div class="rq-head">
        <h2>The slowest requests of {props.name}</h2>
        <Segments label="How many are the slowest" value={share()} choices={SHARES} onChange={setShare} />
        <button type="button" class="button small" onClick={() => props.onFilter(props.name, null)}>
          Show these requests in other views
        </button>
        <Show when={slowest()}>
          {(found) => (
            <button
              type="button"
              class="button small"
              title={`Requests that took longer than ${readable(found().others.longest_ns, 'nanoseconds')}`}
              onClick={() => props.onFilter(props.name, found().others.longest_ns)}
            >
              Show only the slowest
            </button>
          )}
        </Show>
        <span class="spring" />
        <button type="button" class="button icon small" aria-label="Close the slowest requests" onClick={() => props.onClose()}>
          ×
        </button>
      </div>
      <Answered asked={asked}>
        <Show when={slowest()}>{(found) => <Comparison slowest={found()} isStale={asked.isLoading()} />}</Show>
        <Notes notes={asked.answer()?.notes} isOpen={!slowest()} />
      </Answered>
    </section>
  );
}

function Comparison(props: { slowest: SlowestRequests; isStale: boolean }): JSX.Element {
  const app = useApp();
  const kinds = () => kindRows(props.slowest);
  const places = () => props.slowest.places;
  return (
    <>
      <p class="rq-summary">{props.slowest.summary}.</p>
      <VirtualTable<KindRow>
        label="Kinds of time of the slowest and of the others"
        columns={[...differences<KindRow>((row) => row.times), ...kindColumns(wholeOf(props.slowest))]}
        rowCount={kinds().length}
        rowAt={(index) => kinds()[index]}
        isInline
        isStale={props.isStale}
      />
      <p class="rq-stops">{stopWords(props.slowest.stops, props.slowest)}</p>
      <PartsOfSlowest slowest={props.slowest} isStale={props.isStale} />
      <Show when={places().length > 0}>
        <h3>Places in code: the samples of these requests distribute the times above</h3>
        <VirtualTable<PlaceDifference>
          label="Places of the slowest and of the others"
          columns={[...differences<PlaceDifference>((row) => row), ...PLACE_COLUMNS]}
          rowCount={places().length}
          rowAt={(index) => places()[index]}
          selected={places().findIndex((row) => row.function !== null && row.function === app.state.selected)}
          onSelect={(row) => row.function !== null && app.select(row.function)}
          onMenu={(row, place) => row.function !== null && app.openFunctionMenu(row.function, place)}
          isInline
          isStale={props.isStale}
        />
        <Show when={props.slowest.place_count > places().length}>
          <p class="rq-stops">{grouped(props.slowest.place_count - places().length)} more places are not shown.</p>
        </Show>
      </Show>
    </>
  );
}

/** The mean lengths. */
function wholeOf({ slowest, others }: SlowestRequests): TimeDifference {
  const [slow, other] = [slowest.mean_ns ?? 0, others.mean_ns ?? 0];
  return { slowest_ns: slow, others_ns: other, difference_ns: slow - other };
}

function kindRows(view: SlowestRequests): KindRow[] {
  const whole = { words: '<Whole length>', colour: 'var(--ink-3)', times: wholeOf(view) };
  const kinds = view.kinds.filter((row) => row.slowest_ns > 0 || row.others_ns > 0);
  return [whole, ...kinds.map((row) => ({ ...kindNamed(row.kind), times: row }))];
}

function differences<Row>(timesOf: (row: Row) => TimeDifference): TableColumn<Row>[] {
  const column = (field: keyof TimeDifference, group: string, title: string): TableColumn<Row> => ({
    key: field,
    group,
    title,
    width: 'minmax(72px, 88px)',
    isNumber: true,
    cell: (row) => millisCell(timesOf(row)[field]),
  });
  return [column('difference_ns', '', 'more ms'), column('slowest_ns', 'slowest', 'ms'), column('others_ns', 'others', 'ms')];
}

/** The bars have the same scale in all rows: the longer of the mean lengths is the whole width. */
function kindColumns(whole: TimeDifference): TableColumn<KindRow>[] {
  const longest = Math.max(whole.slowest_ns, whole.others_ns);
  const width = (time: number) => `${longest === 0 ? 0 : Math.min(1, time / longest) * 100}%`;
  const text = ({ times }: KindRow) =>
    `slowest ${readable(times.slowest_ns, 'nanoseconds')}, others ${readable(times.others_ns, 'nanoseconds')}`;
  return [
    {
      key: 'bars',
      group: 'slowest',
      title: 'others',
      width: 'minmax(120px, 320px)',
      cell: (row) => (
        <span class="rq-bars" role="img" aria-label={text(row)} title={text(row)}>
          <span style={{ width: width(row.times.slowest_ns), background: row.colour }} />
          <span class="rq-others" style={{ width: width(row.times.others_ns), background: row.colour }} />
        </span>
      ),
    },
    { key: 'kind', title: 'The thread', width: 'minmax(240px, 1fr)', isName: true, cell: (row) => row.words },
  ];
}

const samples = (key: 'slowest_samples_count' | 'others_samples_count', group: string): TableColumn<PlaceDifference> => ({
  key,
  group,
  title: 'samples',
  width: 'minmax(60px, 68px)',
  isNumber: true,
  cell: (row) => grouped(row[key]),
});

const PLACE_COLUMNS: readonly TableColumn<PlaceDifference>[] = [
  samples('slowest_samples_count', 'slowest'),
  samples('others_samples_count', 'others'),
  {
    key: 'kind',
    title: 'The thread',
    width: 'minmax(200px, 400px)',
    cell: (row) => {
      const words = `${kindNamed(row.kind).words}${row.wait === null ? '' : ` (${row.wait})`}`;
      return <span title={words}>{words}</span>;
    },
  },
  {
    key: 'function',
    title: 'In',
    width: 'minmax(240px, 1fr)',
    isName: true,
    cell: (row, _, room) => (
      <Show when={row.function} fallback={<span class="dim">{noFunction(row)}</span>}>
        {(name) => (
          <>
            <FunctionName name={name()} room={room() - 8 * lineOf(row).length} />
            <span class="dim">{lineOf(row)}</span>
          </>
        )}
      </Show>
    ),
  },
  { key: 'file', title: 'File or peer', width: 'minmax(120px, 240px)', cell: (row) => <span title={row.file}>{row.file}</span> },
];

function noFunction(row: PlaceDifference): string {
  return row.slowest_samples_count + row.others_samples_count > 0 ? '<no function of the program>' : '<not sampled>';
}

function lineOf({ source_file, line }: PlaceDifference): string {
  if (line === null) return '';
  return source_file === null ? ` line ${line}` : ` ${source_file}:${line}`;
}

function stopWords(stops: StopDifference | null, view: SlowestRequests): string {
  if (stops === null) return 'The JVM reported no stops of all threads.';
  const side = (time: number, stopped: number, count: number) =>
    `${readable(time, 'nanoseconds')} (in ${grouped(stopped)} of ${grouped(count)})`;
  const slowest = side(stops.slowest_ns, stops.slowest_requests_count, view.slowest.requests_count);
  const others = side(stops.others_ns, stops.others_requests_count, view.others.requests_count);
  return `Mean time in which the JVM stopped all threads: slowest ${slowest}, others ${others}.`;
}
