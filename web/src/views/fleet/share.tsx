// The share of the selected function over time, as a chart or a table, and buttons that open it in the analyzer.
import { createMemo, type JSX, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app';
import type { ShareRow } from '../../engine/fleet';
import { cores, money } from '../../format/cost';
import { percentCell } from '../../format/numbers';
import { Failure, FunctionName, Loading, Notes, Picker, Segments } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { delayed, type Fleet } from './fleet';
import { ShareChart } from './share_chart';
import { type Flavour, linesOf } from './share_lines';
import { momentWords, periodOf, spanOf } from './times';

const BY = [
  ['version', 'by version'],
  ['host', 'by host'],
  ['region', 'by region'],
  ['service', 'by service'],
] as const;
type By = (typeof BY)[number][0];

/** A held arrow key selects many functions one after the other. Only the last function is requested. */
const PAUSE_MS = 200;

export function FunctionShare(props: { fleet: Fleet; name: string }): JSX.Element {
  const app = useApp();
  const [by, setBy] = useOption<By>('fleet.by', 'version');
  const [flavour, setFlavour] = useOption<Flavour>('fleet.flavour', 'inclusive');
  const [look, setLook] = useOption<'chart' | 'table'>('fleet.look', 'chart');
  const name = delayed(() => props.name, PAUSE_MS);
  /** The time range at the last selection or refresh, because `now` moves on. */
  const span = createMemo(() => {
    props.fleet.services.answer();
    return spanOf(props.fleet.choice().since, props.fleet.choice().until, Math.floor(Date.now() / 1000));
  });
  const period = () => periodOf(span() ?? { from_s: 0, to_s: 3600 });
  const asked = props.fleet.ask(() => ({
    ...props.fleet.words('share'),
    function: name(),
    mode: app.state.mode,
    by: [by()],
    every: period().every,
  }));
  const rows = () => asked.answer()?.rows ?? [];
  const lines = createMemo(() => linesOf(asked.answer()));
  const open = (view: string) => {
    const centre = view === 'callers-callees' ? { fragment: [props.name] } : {};
    void props.fleet.open({ by: ['host'] }, { view, selected: props.name, mode: app.state.mode, ...centre });
  };
  return (
    <section class="fleet-pane fleet-share" aria-label="Share of the function">
      <div class="fleet-pane-head">
        <h2 class="fleet-function" title={props.name}>
          <FunctionName name={props.name} packageLength={12} />
        </h2>
        <Picker label="Lines" isLabelHidden value={by()} choices={BY} onChange={setBy} />
        <Segments
          label="Share"
          value={flavour()}
          choices={[
            ['inclusive', 'Inclusive'],
            ['exclusive', 'Exclusive'],
          ]}
          onChange={setFlavour}
        />
        <Segments
          label="Shown as"
          value={look()}
          choices={[
            ['chart', 'Chart'],
            ['table', 'Table'],
          ]}
          onChange={setLook}
        />
        <button type="button" class="button small" disabled={props.fleet.isOpening()} onClick={() => open('flame-graph')}>
          Flame graph
        </button>
        <button type="button" class="button small" disabled={props.fleet.isOpening()} onClick={() => open('callers-callees')}>
          Callers &amp; callees
        </button>
        <button
          type="button"
          class="button quiet icon small"
          aria-label="Close the function"
          onClick={() => props.fleet.pick(null)}
        >
          ×
        </button>
      </div>
      <div class="fleet-share-body" classList={{ stale: asked.isLoading() && asked.answer() !== undefined }}>
        <Switch fallback={<ShareTable rows={rows()} />}>
          <Match when={asked.error()}>{(error) => <Failure error={error()} />}</Match>
          <Match when={asked.answer() === undefined}>
            <Loading />
          </Match>
          <Match when={rows().length === 0}>
            <p class="table-empty">No data in this time range.</p>
          </Match>
          <Match when={look() === 'chart'}>
            <ShareChart label={`Share of ${name()} over time`} of={lines()} flavour={flavour()} />
          </Match>
        </Switch>
      </div>
      <Show when={(asked.answer()?.notes.length ?? 0) > 0}>
        <Notes notes={asked.answer()?.notes} />
      </Show>
    </section>
  );
}

const ratio = (value: number | null) => (value === null ? '–' : percentCell(value));

const COLUMNS: readonly TableColumn<ShareRow>[] = [
  {
    key: 'inclusive',
    group: 'Inclusive',
    title: '%',
    width: '84px',
    isNumber: true,
    cell: (row) => ratio(row.inclusive_ratio),
    heat: (row) => row.inclusive_ratio ?? 0,
  },
  {
    key: 'exclusive',
    group: 'Exclusive',
    title: '%',
    width: '84px',
    isNumber: true,
    cell: (row) => ratio(row.exclusive_ratio),
    heat: (row) => row.exclusive_ratio ?? 0,
  },
  {
    key: 'cores',
    group: 'Inclusive',
    title: 'Cores',
    width: '88px',
    isNumber: true,
    cell: (row) => (row.inclusive_cost ? cores(row.inclusive_cost.cores) : '–'),
  },
  {
    key: 'cost',
    group: 'Inclusive',
    title: 'Cost per year',
    width: '100px',
    isNumber: true,
    cell: (row) => (row.inclusive_cost ? money(row.inclusive_cost.cost_per_year) : '–'),
  },
  { key: 'from', title: 'From, UTC', width: '150px', isName: true, cell: (row) => momentWords(row.from_s) },
  { key: 'part', title: 'Of', width: 'minmax(160px, 1fr)', cell: (row) => <span title={row.part}>{row.part}</span> },
];

function ShareTable(props: { rows: readonly ShareRow[] }): JSX.Element {
  return (
    <VirtualTable<ShareRow>
      label="Share over time"
      columns={COLUMNS}
      rowCount={props.rows.length}
      rowAt={(index) => props.rows[index]}
      rowHeight={24}
    />
  );
}
