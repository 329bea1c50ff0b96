// Source with the cost of each line. Java: source from the source path, otherwise bytecode. Native code: source and
// disassembly.
import { createEffect, createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { ColumnsButton } from '../../columns/columns_dialog';
import { widthOf } from '../../columns/metric_columns';
import { describeValues, titleOf } from '../../columns/values';
import { comparedColumns } from '../../compare/compared_columns';
import { metricsShown } from '../../compare/use_comparison';
import { sidesOf } from '../../compare/words';
import type { Column, Listing, ListingKind, SourceView, Values } from '../../engine/answers';
import { cellOf, columnValue, fieldOf, headingOf, languageOf } from '../../format/columns';
import { shortName } from '../../format/names';
import { grouped } from '../../format/numbers';
import { NoneSelected } from '../../parts/none_selected';
import { Answered, Notes, Picker, Toolbar } from '../../parts/parts';
import { useStartFunction } from '../../parts/start_function';
import { useOption } from '../../parts/use_option';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';
import { commentStarts, pieces } from './highlight';
import { type CodeRow, firstShown, hottestRow, nextCost } from './hot_rows';
import './source.css';

const KIND_TITLES: Record<ListingKind, string> = {
  java_source: 'Java source',
  native_source: 'Source',
  bytecode: 'Bytecode',
  disassembly: 'Instructions',
  none: 'No code found',
};

function Source(): JSX.Element {
  const app = useApp();
  const [listing, setListing] = useOption<string>('source.listing', '0');
  const start = useStartFunction();
  const request = () => {
    const [name, metrics] = [start.name(), metricsShown(app)];
    if (name === null || metrics === null) return null;
    return { ...app.query('source'), name, metrics };
  };
  const asked = app.ask(request);
  app.offerExport({ request });
  const shown = createMemo(() => {
    const answer = asked.answer();
    const present = answer?.listings[Number(listing())] ?? answer?.listings[0];
    return answer && present && { answer, listing: present };
  });
  return (
    <Show when={start.name() !== null} fallback={<NoneSelected title="Source" what="its source" isLoading={start.isLoading()} />}>
      <Answered asked={asked} title="Source">
        <Show when={shown()} keyed>
          {(present) => (
            <ListingView answer={present.answer} listing={present.listing} isStale={asked.isLoading()}>
              <Show when={present.answer.listings.length > 1}>
                <Picker
                  label="Show"
                  value={listing()}
                  choices={present.answer.listings.map((each, index) => [String(index), listingTitle(each)] as const)}
                  onChange={setListing}
                />
              </Show>
            </ListingView>
          )}
        </Show>
        <Notes notes={asked.answer()?.notes} />
      </Answered>
    </Show>
  );
}

function listingTitle(listing: Listing): string {
  const of = listing.kind === 'bytecode' || listing.kind === 'disassembly' ? listing.functions[0]?.function : listing.source_file;
  return [KIND_TITLES[listing.kind], of && shortName(of)].filter((part) => part).join(': ');
}

function ListingView(props: { answer: SourceView; listing: Listing; isStale: boolean; children: JSX.Element }): JSX.Element {
  const app = useApp();
  const columns = () => props.answer.columns;
  // Inclusive cost shows where a function spends its time. A listing without inclusive cost is ranked by its first
  // column.
  const ranking = () => columns().find((each) => each.flavour === 'inclusive' && !each.is_percent) ?? columns()[0];
  const cost = (row: CodeRow) => {
    const column = ranking();
    if (column?.part) return Math.max(...Object.values(sidesOf(row, column)));
    return column ? columnValue(row, column) : 0;
  };
  const [at, setAt] = createSignal(firstShown(props.listing, cost));
  const [revealed, setRevealed] = createSignal(at());
  createEffect(() => setRevealed(at()));
  const tableColumns = createMemo(() => columnsOf(columns(), { listing: props.listing, cost }, props.answer.total));
  const jump = (row: number) => {
    if (row < 0) return;
    setAt(row);
    setRevealed(row);
  };
  return (
    <>
      <Toolbar title="Source" subtitle={<Place listing={props.listing} />}>
        {props.children}
        <FunctionsOfFile listing={props.listing} onJump={jump} />
        <button
          type="button"
          class="button"
          title="Press n or p for the next or previous line with cost"
          onClick={() => jump(hottestRow(props.listing, cost))}
        >
          Hottest line
        </button>
        <ColumnsButton />
      </Toolbar>
      <Show when={props.listing.why}>{(why) => <p class="src-why">{why()}</p>}</Show>
      <VirtualTable<CodeRow>
        class="src-table"
        label={`Source of ${props.answer.function}`}
        columns={tableColumns()}
        rowCount={props.listing.rows.length}
        rowAt={(index) => props.listing.rows[index]}
        rowHeight={20}
        selected={at()}
        revealed={revealed()}
        isStale={props.isStale}
        onSelect={(_, index) => setAt(index)}
        onKey={(event, _, index) => {
          if (event.key === 'n') jump(nextCost(props.listing, cost, index, 1));
          else if (event.key === 'p') jump(nextCost(props.listing, cost, index, -1));
          else if (event.key === 'x') jump(hottestRow(props.listing, cost));
          else return false;
          return true;
        }}
        onPoint={(row) => app.showDetails(row && { name: placeOf(row, props.listing), values: describeValues(columns(), row) })}
        rowClass={(row) => `src-${row.kind}`}
        empty="There is no code and no cost per line."
      />
    </>
  );
}

function Place(props: { listing: Listing }): JSX.Element {
  return (
    <span class="src-place">
      {KIND_TITLES[props.listing.kind]}
      <Show when={props.listing.path ?? props.listing.source_file}>
        {(path) => (
          <>
            {' · '}
            <span title={path()}>{path()}</span>
          </>
        )}
      </Show>
    </span>
  );
}

/** Lets the user jump to a function of the same file. */
function FunctionsOfFile(props: { listing: Listing; onJump(row: number): void }): JSX.Element {
  const places = () => props.listing.functions.filter((each) => each.first_row !== null);
  return (
    <Show when={places().length > 1}>
      <Picker
        label="Function"
        value=""
        choices={[
          ['', `${grouped(places().length)} in this file`],
          ...places().map((each) => [String(each.first_row), shortName(each.function)] as const),
        ]}
        onChange={(row) => row !== '' && props.onJump(Number(row))}
      />
    </Show>
  );
}

/** Source text has syntax colours. Other text does not. */
function Code(props: { text: string; beganInComment: boolean | undefined }): JSX.Element {
  return (
    <code class="src-text">
      <Show when={props.beganInComment !== undefined} fallback={props.text}>
        <For each={pieces(props.text, props.beganInComment ?? false)}>
          {(piece) => <span class={`src-${piece.kind}`}>{piece.text}</span>}
        </For>
      </Show>
    </code>
  );
}

/** The line's number is in front, with a bar for its cost. `cost`: the value that ranks lines. */
function columnsOf(
  columns: readonly Column[],
  { listing, cost }: { listing: Listing; cost: (row: CodeRow) => number },
  total: Values,
): TableColumn<CodeRow>[] {
  const most = listing.rows.reduce((sum, row) => Math.max(sum, cost(row)), 0);
  const firstPercent = columns.find((column) => column.is_percent);
  const inComment = listing.kind.endsWith('_source') ? commentStarts(listing.rows.map((row) => row.text)) : undefined;
  const values = columns.some((column) => column.part)
    ? comparedLines(columns, total)
    : columns.map(
        (column): TableColumn<CodeRow> => ({
          key: fieldOf(column),
          group: column.flavour === 'plain' ? '' : titleOf({ ...column, title: '' }).trim(),
          title: headingOf(column),
          width: widthOf(column),
          isNumber: true,
          // In a narrow window, the first percentage is the only value.
          importance: column === firstPercent ? 0.5 : 0,
          description: languageOf(column),
          // Lines without cost stay empty, so that lines with cost stand out.
          cell: (row) => (columnValue(row, column) === 0 ? '' : cellOf(row, column)),
        }),
      );
  return [
    ...values,
    {
      key: 'line',
      title: listing.kind === 'bytecode' ? 'Index' : listing.kind === 'disassembly' ? 'Address' : 'Line',
      width: '52px',
      isNumber: true,
      isName: true,
      heat: (row) => (most === 0 ? 0 : cost(row) / most),
      cell: (row) => <span class="src-line">{numberOf(row)}</span>,
    },
    {
      key: 'text',
      title: listing.kind === 'disassembly' || listing.kind === 'bytecode' ? 'Instruction' : 'Code',
      width: 'minmax(640px, 1fr)',
      isWhole: true,
      importance: 1,
      cell: (row, index) => <Code text={row.text} beganInComment={inComment?.[index]} />,
    },
  ];
}

/** Lines without cost on either side stay empty. */
function comparedLines(columns: readonly Column[], total: Values): TableColumn<CodeRow>[] {
  return comparedColumns<CodeRow>(columns, total).map((column, index) => {
    const isSpent = (row: CodeRow) => Object.values(sidesOf(row, columns[index]!)).some((value) => value !== 0);
    return { ...column, cell: (row, at, room) => isSpent(row) && column.cell(row, at, room) };
  });
}

function numberOf(row: CodeRow): string {
  if (row.address !== null) return row.address.toString(16);
  if (row.bytecode_index !== null) return String(row.bytecode_index);
  return row.line === null ? '' : String(row.line);
}

function placeOf(row: CodeRow, listing: Listing): string {
  const text = row.text.trim();
  if (row.line === null) return text;
  return `${listing.source_file ?? 'line'}:${row.line}  ${text}`;
}

export const view: ViewDefinition = {
  name: 'source',
  title: 'Source',
  question: 'Which lines cost most?',
  key: 's',
  order: 70,
  group: 'code',
  component: Source,
  showsSelected: true,
  keys: [
    ['n', 'Next line with cost'],
    ['p', 'Previous line with cost'],
    ['x', 'Hottest line'],
  ],
};
