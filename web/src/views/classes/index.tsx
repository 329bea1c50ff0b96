// Allocated objects by class, and by the line of the program that allocates them. A class can become the filter of all views.
import { For, type JSX } from 'solid-js';
import { type App, useApp } from '../../app';
import { metricColumns, sortedWord } from '../../columns/metric_columns';
import { baseOf, describeValues } from '../../columns/values';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { changeBy, comparisonOf } from '../../compare/use_comparison';
import type { ClassRow, Column, Values } from '../../engine/answers';
import { grouped } from '../../format/numbers';
import { quoted } from '../../format/quoting';
import { Answered, FunctionName, Toolbar } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { useRows } from '../../table/use_rows';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';
import './classes.css';

const GROUPINGS = [
  ['class', 'Classes'],
  ['site', 'Sites'],
  ['class,site', 'Both'],
] as const;

function Classes(): JSX.Element {
  const app = useApp();
  const [by, setBy] = useOption<string>('classes.by', 'class');
  const [sort, setSort] = useOption<string>('classes.sort', '');
  const request = () => ({
    ...app.query('classes'),
    by: by(),
    sort: sort() === '' ? usualSort(app) : sort(),
  });
  const rows = useRows(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const subtitle = () => {
    const answer = rows.answer();
    return (
      answer &&
      `${grouped(answer.samples_count)} sampled allocations${baseOf(answer.columns, answer.total, 'by all shown samples')}`
    );
  };
  const showOnly = (row: ClassRow) => {
    const { filter } = app.state;
    app.navigate({ filter: [...filter, ...filterOf(row).filter((part) => !filter.includes(part))] });
  };
  return (
    <>
      <Toolbar title="Allocated classes" subtitle={subtitle()}>
        <div class="segments" role="group" aria-label="Group by">
          <For each={GROUPINGS}>
            {([grouping, title]) => (
              <button type="button" aria-pressed={by() === grouping} onClick={() => setBy(grouping)}>
                {title}
              </button>
            )}
          </For>
        </div>
      </Toolbar>
      <Answered asked={rows.asked}>
        <VirtualTable<ClassRow>
          label="Allocated classes"
          columns={columnsOf(columns(), rows.answer()?.total, by())}
          rowCount={rows.rowCount()}
          rowAt={rows.rowAt}
          onVisible={rows.onVisible}
          isStale={rows.isStale()}
          selected={app.state.selected === null ? -1 : rows.find((row) => row.function === app.state.selected)}
          sortedBy={sortedWord(columns(), rows.answer()?.sorted_by)}
          onSort={setSort}
          onSelect={(row) => row.function !== null && app.select(row.function)}
          onActivate={showOnly}
          onMenu={(row, place) => row.function !== null && app.openFunctionMenu(row.function, place)}
          onPoint={(row) => app.showDetails(row && detailsOf(row, columns()))}
          empty="No allocations match the filter."
        />
        <ComparedNotes notes={rows.answer()?.notes} />
      </Answered>
    </>
  );
}

/** In a comparison, the largest change comes first. */
function usualSort(app: App): string | null {
  const isCompared = comparisonOf(app) && app.experiment()?.metrics.some((metric) => metric.name === 'alloc_bytes');
  return isCompared ? `alloc_bytes:${changeBy(app) === 'absolute' ? 'delta' : 'ratio'}` : null;
}

/** The parts of the filter that select a row: its class and its function. */
function filterOf(row: ClassRow): string[] {
  const byClass = row.class === null ? ['event is alloc'] : [`class is ${quoted(row.class)}`];
  return row.function === null ? byClass : [...byClass, `stack has ${quoted(row.function)}`];
}

/** Pixels of the number of a line. */
const LINE_PX = 64;

function columnsOf(columns: readonly Column[], total: Values | undefined, by: string): TableColumn<ClassRow>[] {
  const all = metricColumns<ClassRow>(columns, total);
  const mark = presenceMark(columns);
  all.push({
    key: 'samples',
    title: 'Samples',
    width: 'minmax(84px, 92px)',
    isNumber: true,
    cell: (row) => <span class="dim">{grouped(row.samples_count)}</span>,
  });
  if (by.includes('class')) {
    all.push({
      key: 'class',
      title: 'Class',
      width: 'minmax(200px, 1fr)',
      isName: true,
      spare: 24,
      sort: 'name',
      cell: (row) => (
        <span class="cl-name">
          {mark?.(row)}
          <ClassName name={row.class ?? ''} />
        </span>
      ),
    });
  }
  if (by.includes('site')) {
    all.push({
      key: 'site',
      title: 'Allocated in',
      width: 'minmax(280px, 1.4fr)',
      isName: by === 'site',
      importance: 2,
      ...(by === 'site' ? { sort: 'name' } : {}),
      cell: (row, _, room) =>
        row.function === null ? (
          <span class="dim">unknown</span>
        ) : (
          <span class="cl-site">
            {by === 'site' ? mark?.(row) : null}
            <FunctionName name={row.function} room={room() - LINE_PX} />
            {row.line === null ? null : <span class="dim">line {row.line}</span>}
          </span>
        ),
    });
  }
  return all;
}

/** The package is shown in a weaker colour, because the end of the name distinguishes classes. */
function ClassName(props: { name: string }): JSX.Element {
  const split = () => props.name.lastIndexOf('.') + 1;
  return (
    <span class="cl-class" classList={{ dim: props.name.startsWith('<') }} title={props.name}>
      <span class="dim">{props.name.slice(0, split())}</span>
      {props.name.slice(split())}
    </span>
  );
}

function detailsOf(row: ClassRow, columns: readonly Column[]) {
  const line = row.line === null ? '' : `line ${row.line}${row.source_file === null ? '' : ` of ${row.source_file}`}`;
  return {
    name: [row.class, row.function].filter((part) => part !== null).join(' · '),
    facts: [line, `${grouped(row.samples_count)} samples`],
    values: describeValues(columns, row),
  };
}

export const view: ViewDefinition = {
  name: 'classes',
  title: 'Allocated classes',
  question: 'Objects of which classes were allocated, and by which lines of the program?',
  key: 'a',
  order: 78,
  group: 'code',
  component: Classes,
  missing: (experiment) =>
    experiment.metrics.some((metric) => metric.name === 'alloc_bytes' || metric.name === 'alloc_count')
      ? undefined
      : 'This experiment has no allocations',
  keys: [['Enter', 'Show only this class in all views']],
};
