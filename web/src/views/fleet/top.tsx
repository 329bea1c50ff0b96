// The functions with the highest cost over the whole selection, in cores and money.
import { createEffect, createSignal, type JSX } from 'solid-js';
import { useApp } from '../../app';
import { functionColumn } from '../../columns/metric_columns';
import type { Top, TopRow } from '../../engine/fleet';
import { cores, money } from '../../format/cost';
import { cell, counted, percentCell, readable } from '../../format/numbers';
import { Answered, Notes, Picker } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { joinList, splitList } from './choice';
import { delayed, type Fleet } from './fleet';
import { PickList } from './pick_list';

const TYPING_MS = 250;
const LIMITS = [
  ['50', '50 rows'],
  ['100', '100 rows'],
  ['500', '500 rows'],
  ['2000', '2000 rows'],
] as const;
type Limit = (typeof LIMITS)[number][0];

type Flavour = 'exclusive' | 'inclusive';
const MEASURES = {
  cores: { title: 'Cores', width: '88px' },
  share: { title: '%', width: '72px' },
  cost: { title: 'Cost per year', width: '100px' },
  time: { title: 'CPU s', width: '100px' },
} as const;
type Measure = keyof typeof MEASURES;

/** Names in the list of columns, with their columns. */
const COLUMNS = (['exclusive', 'inclusive'] as const).flatMap((flavour) =>
  (Object.keys(MEASURES) as Measure[]).map((measure) => ({ name: `${flavour} ${MEASURES[measure].title}`, flavour, measure })),
);
const SHOWN_FIRST = joinList(COLUMNS.filter(({ measure }) => measure !== 'time').map(({ name }) => name));

export function TopFunctions(props: { fleet: Fleet }): JSX.Element {
  const app = useApp();
  const [sort, setSort] = useOption<string>('fleet.sort', 'e.cpu');
  const [limit, setLimit] = useOption<Limit>('fleet.limit', '100');
  const [shown, setShown] = useOption<string>('fleet.columns', SHOWN_FIRST);
  const search = delayed(() => app.state.search.trim(), TYPING_MS);
  const asked = props.fleet.ask(() => ({
    ...props.fleet.words('top'),
    mode: app.state.mode,
    sort: sort(),
    limit: Number(limit()),
    ...(search() === '' ? {} : { search: search() }),
  }));
  const rows = () => asked.answer()?.rows ?? [];
  const subtitle = () => {
    const answer = asked.answer();
    if (!answer) return '';
    const named = search() === '' ? '' : ` with “${search()}” in the name`;
    const most = answer.row_count > answer.rows.length ? `, the first ${answer.rows.length}` : '';
    return `${counted(answer.row_count, 'function')}${named}${most}`;
  };
  const visible = () => COLUMNS.filter(({ name }) => splitList(shown()).includes(name));
  /** Only one column of each flavour can sort, because all columns of a flavour have the same order. */
  const columns = (): TableColumn<TopRow>[] => [
    ...visible().map(({ flavour, measure }, index) => {
      const isFirst = visible().findIndex((each) => each.flavour === flavour) === index;
      return { ...costColumn(flavour, measure, asked.answer()), ...(isFirst ? { sort: `${flavour.slice(0, 1)}.cpu` } : {}) };
    }),
    functionColumn<TopRow>(),
  ];
  const picked = () => rows().findIndex((row) => row.function === props.fleet.picked());
  const [revealed, setRevealed] = createSignal(-1);
  createEffect((wasThere: boolean) => {
    if (!wasThere && rows().length > 0) setRevealed(picked());
    return rows().length > 0;
  }, false);
  return (
    <section class="fleet-pane fleet-functions" aria-label="Functions">
      <div class="fleet-pane-head">
        <h2>Functions</h2>
        <span class="dim" aria-live="polite">
          {subtitle()}
        </span>
        <span class="spring" />
        <input
          type="search"
          data-search
          placeholder="Search functions"
          aria-label="Search functions"
          spellcheck={false}
          autocomplete="off"
          value={app.state.search}
          onInput={(event) => app.navigate({ search: event.currentTarget.value }, { replace: true })}
        />
        <Picker label="Rows" isLabelHidden value={limit()} choices={LIMITS} onChange={setLimit} />
        <PickList
          title="Columns"
          isCountHidden
          names={COLUMNS.map(({ name }) => name)}
          chosen={splitList(shown())}
          onChange={(chosen) => setShown(joinList(chosen))}
        />
      </div>
      <Answered asked={asked}>
        <div class="fleet-table">
          <VirtualTable<TopRow>
            label="Functions of the fleet"
            columns={columns()}
            rowCount={rows().length}
            rowAt={(index) => rows()[index]}
            isStale={asked.isLoading()}
            selected={picked()}
            revealed={revealed()}
            sortedBy={sort()}
            onSort={setSort}
            onSelect={(row) => props.fleet.pick(row.function)}
            onActivate={(row) => props.fleet.pick(row.function)}
            onPoint={(row) => app.showDetails(row && detailsOf(row))}
            empty={search() === '' ? 'No functions in this time range.' : 'No matching functions.'}
          />
        </div>
        <Notes notes={asked.answer()?.notes} />
      </Answered>
    </section>
  );
}

function costColumn(flavour: Flavour, measure: Measure, top: Top | undefined): TableColumn<TopRow> {
  const { title, width } = MEASURES[measure];
  const all = top?.cpu_ns ?? 0;
  const share = (row: TopRow) => (all > 0 ? row[`${flavour}_cpu_ns`] / all : 0);
  const texts: Record<Measure, (row: TopRow) => string> = {
    cores: (row) => cores(row[flavour].cores),
    share: (row) => percentCell(share(row)),
    cost: (row) => money(row[flavour].cost_per_year),
    time: (row) => cell(row[`${flavour}_cpu_ns`], 'nanoseconds'),
  };
  return {
    key: `${flavour}-${measure}`,
    group: flavour === 'exclusive' ? 'Exclusive' : 'Inclusive',
    title,
    width,
    isNumber: true,
    ...(measure === 'share' ? { description: 'Of the CPU time of all selected data' } : {}),
    cell: (row) => (row[`${flavour}_cpu_ns`] === 0 ? <span class="dim">{texts[measure](row)}</span> : texts[measure](row)),
    ...(measure === 'cores' ? { heat: share } : {}),
  };
}

function detailsOf(row: TopRow) {
  const values = (['exclusive', 'inclusive'] as const).map((flavour) => {
    const text = `${readable(row[`${flavour}_cpu_ns`], 'nanoseconds')}, ${cores(row[flavour].cores)} cores, ${money(row[flavour].cost_per_year)} per year`;
    return [flavour === 'exclusive' ? 'Exclusive CPU' : 'Inclusive CPU', text] as const;
  });
  return { name: row.function, values, facts: [row.kind, row.binary ?? ''].filter((fact) => fact !== '') };
}
