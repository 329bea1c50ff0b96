// The call tree shows cost from the root down, or from the leaves up to the callers. Subtrees can be opened and closed.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { useApp } from '../../app';
import { groupOf } from '../../columns/metric_columns';
import { describeValues } from '../../columns/values';
import type { ChangeBy } from '../../compare/change';
import { ChangeBar, type ComparedCell, comparedCells, presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { changeBy, comparisonOf, sortShown } from '../../compare/use_comparison';
import { useColumnTotals } from '../../compare/use_totals';
import type { Column, TreeWindowRow, Values } from '../../engine/answers';
import { cellOf, columnValue, fieldOf, headingOf, languageOf } from '../../format/columns';
import { isFolded, shortName } from '../../format/names';
import { counted } from '../../format/numbers';
import { Failure, FunctionName, Toolbar } from '../../parts/parts';
import { SearchBox } from '../../parts/search_box';
import { comparedMetrics, treeColumns } from '../../state/column_choice';
import { ALL_SHOWN, FRAMEWORKS, frameworkKeys, withOpened } from '../../state/framework_frames';
import { HiddenColumns } from '../../table/hidden_columns';
import { layoutColumns, type SizedColumn } from '../../table/layout';
import { createTableSpace } from '../../table/table_space';
import { appearance } from '../../theme/appearance';
import { FRAME_KINDS } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { indentOf, NAME_SPACE } from './indent';
import { OPEN_NOTHING, type OpenNodes, opened, readOpen, writeOpen } from './open_nodes';
import { createTreeSearch } from './tree_search';
import './call_tree.css';

const OPEN = 'call-tree.open';
const DIRECTION = 'call-tree.direction';
const ROOT = 'call-tree.from';
const ROW_HEIGHT = 24;
/** Height of the heading, which stays above the rows. The style sheet has the same value. */
const HEAD_HEIGHT = 40;
/** Rows to load beyond those on screen. */
const MARGIN = 60;
/** Width of a column of values in pixels. The style sheet has the same value. */
const VALUE_WIDTH = 104;
/** The columns of values leave this width in pixels for names. */
const NAME_WIDTH = 250;

function CallTree(): JSX.Element {
  const app = useApp();
  let scroller!: HTMLDivElement;
  const [scrolled, setScrolled] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [width, setWidth] = createSignal(1000);
  const columnSpace = createTableSpace();
  const [focused, setFocused] = createSignal(0);
  const option = (name: string) => app.state.options[name] ?? '';
  const setOptions = (change: Record<string, string>, replace = false) =>
    app.navigate({ options: { ...app.state.options, ...change } }, { replace });
  const open = createMemo(() => readOpen(option(OPEN)));
  const areFrameworksShown = () => option(FRAMEWORKS) === ALL_SHOWN;
  const showFrameworks = (areShown: boolean) => setOptions({ [FRAMEWORKS]: areShown ? ALL_SHOWN : '' });
  // The frames that were folded begin at the same node, which stays open.
  const unfold = (node: number) =>
    setOptions({ [FRAMEWORKS]: withOpened(option(FRAMEWORKS), node), [OPEN]: writeOpen(opened(open(), node, true)) });
  const choose = (row: TreeWindowRow) => {
    if (!isFolded(row.function)) app.select(row.function);
    // The transform `fold frameworks` folds all frames.
    else if (app.state.transforms.length === 0) unfold(row.node);
  };
  const setOpen = (next: OpenNodes) => setOptions({ [OPEN]: writeOpen(next) });

  // The first row of a request is a multiple of a step, so that a little scrolling needs no request.
  const skip = createMemo(() => {
    const first = Math.floor(scrolled() / ROW_HEIGHT / MARGIN) * MARGIN;
    return Math.max(first - MARGIN, 0);
  });
  const limit = createMemo(() => Math.ceil(height() / ROW_HEIGHT / MARGIN) * MARGIN + 3 * MARGIN);

  const metrics = (): string | null => {
    const wanted = app.state.columns ?? treeColumns(app.metric()?.name);
    return wanted !== null && comparisonOf(app) ? comparedMetrics(wanted) : wanted;
  };
  const stacks = () => ({
    direction: option(DIRECTION) || 'callees',
    root: option(ROOT) || null,
    ...frameworkKeys(option(FRAMEWORKS)),
  });
  const request = () => ({
    ...app.query('tree-rows'),
    metrics: metrics(),
    sort: sortShown(app, metrics()),
    ...stacks(),
    hot: true,
    hot_from: open().hot.at(-1) ?? null,
    expanded: open().expanded,
    collapsed: open().collapsed,
  });
  const asked = app.ask(() => (app.metric() ? { ...request(), skip: skip(), limit: limit() } : null));
  /** Position of the first loaded row. The rows may belong to an older window. */
  const firstRow = () => asked.asked()?.skip ?? 0;
  const rows = createMemo(() => asked.answer()?.rows ?? []);
  const rowAt = (index: number): TreeWindowRow | undefined => rows()[index - firstRow()];
  const count = () => asked.answer()?.row_count ?? 0;
  const columns = createMemo(() => asked.answer()?.columns ?? []);
  const heatColumn = createMemo(() => columns().find((column) => column.flavour === 'inclusive' && column.is_percent));
  const heatField = createMemo(() => {
    const column = heatColumn();
    return column && fieldOf(column);
  });
  const totals = useColumnTotals(app, metrics);
  const cells = createMemo(() => treeCells(columns(), totals(), changeBy(app)));
  const layout = createMemo(() => {
    const wanted = cells().map((each) => ({
      key: each.field,
      width: `${VALUE_WIDTH}px`,
      importance: importanceOf(each, heatField()),
      each,
    }));
    const name = { key: 'function', width: `${NAME_WIDTH}px`, importance: 2 };
    const space = { available: width(), needs: {}, sorted: undefined, isAll: columnSpace.isAll() };
    return layoutColumns<TreeColumn>([...wanted, name], space);
  });
  const shownCells = createMemo(() => layout().columns.flatMap(({ each }) => each ?? []));
  const nameWidth = () => width() - shownCells().length * VALUE_WIDTH;
  const mark = createMemo(() => presenceMark(columns()));
  const hotPath = createMemo(() => new Set(asked.answer()?.hot_path));

  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(scroller.clientHeight);
      setWidth(scroller.clientWidth);
    });
    observer.observe(scroller);
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => {
    if (count() > 0 && focused() >= count()) setFocused(count() - 1);
  });
  createEffect(() => showDetails(rowAt(focused())));

  const showDetails = (row: TreeWindowRow | undefined): void => {
    if (!row) {
      app.showDetails(null);
      return;
    }
    const values = comparisonOf(app)
      ? describeValues(columns(), row)
      : columns().map((column) => [`${groupOf(column)} ${headingOf(column)}`.trim(), cellOf(row, column)] as const);
    app.showDetails({ name: row.function, facts: [row.kind, counted(row.child_count, 'child', 'children')], values });
  };
  const focusOn = (index: number): void => {
    const next = Math.min(Math.max(index, 0), Math.max(count() - 1, 0));
    setFocused(next);
    const top = next * ROW_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (HEAD_HEIGHT + top + ROW_HEIGHT > scroller.scrollTop + height()) {
      scroller.scrollTop = HEAD_HEIGHT + top + ROW_HEIGHT - height();
    }
  };
  const search = createTreeSearch({
    stacks,
    rows: request,
    isLoading: asked.isLoading,
    hasFolded: () => asked.answer()?.has_folded,
    open,
    setOpen: (next) => setOptions({ [OPEN]: writeOpen(next) }, true),
    focusOn,
  });
  const parentOf = (index: number): number => {
    const depth = rowAt(index)?.depth ?? 0;
    for (let up = index - 1; up >= firstRow(); up -= 1) if ((rowAt(up)?.depth ?? 0) < depth) return up;
    return index;
  };
  const toggle = (row: TreeWindowRow | undefined, isExpanded: boolean): void => {
    if (row && row.child_count > 0 && row.is_expanded !== isExpanded) setOpen(opened(open(), row.node, isExpanded));
  };
  const openHot = (row: TreeWindowRow | undefined): void => {
    if (!row) return;
    // The engine opens one hot path. Subtrees of the previous hot path stay open one by one.
    const expanded = [...new Set([...open().expanded, ...(asked.answer()?.hot_path ?? [])])];
    setOpen({ ...open(), expanded, hot: [row.node] });
  };

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !moved(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const moved = (key: string): boolean => {
    const index = focused();
    const row = rowAt(index);
    const page = Math.max(Math.floor((height() - HEAD_HEIGHT) / ROW_HEIGHT) - 1, 1);
    switch (key) {
      case 'ArrowDown':
        focusOn(index + 1);
        return true;
      case 'ArrowUp':
        focusOn(index - 1);
        return true;
      case 'PageDown':
        focusOn(index + page);
        return true;
      case 'PageUp':
        focusOn(index - page);
        return true;
      case 'Home':
        focusOn(0);
        return true;
      case 'End':
        focusOn(count() - 1);
        return true;
      case 'ArrowRight':
        if (row?.is_expanded) focusOn(index + 1);
        else toggle(row, true);
        return true;
      case 'ArrowLeft':
        if (row?.is_expanded) toggle(row, false);
        else focusOn(parentOf(index));
        return true;
      case '*':
        openHot(row);
        return true;
      case 'Enter':
      case ' ':
        if (row) choose(row);
        return true;
      case 'n':
      case 'N':
        search.step(key === 'n' ? 1 : -1);
        return true;
      case 'm':
      case 'ContextMenu':
        if (row) openMenu(row, index);
        return true;
      default:
        return false;
    }
  };
  const openMenu = (row: TreeWindowRow, index: number): void => {
    const area = scroller.getBoundingClientRect();
    const place = { x: area.left + 48, y: area.top + HEAD_HEIGHT + (index + 1) * ROW_HEIGHT - scroller.scrollTop };
    app.openFunctionMenu(row.function, place, { kind: row.kind });
  };

  app.offerExport({
    // The command line has no text for the direction `callers`.
    request: () =>
      option(DIRECTION) === 'callers'
        ? null
        : {
            ...app.query('call-tree'),
            metrics: metrics(),
            sort: sortShown(app, metrics()),
            root: option(ROOT) || null,
            ...(areFrameworksShown() ? { frameworks: ALL_SHOWN } : {}),
          },
  });

  return (
    <section class="tree-view">
      <Toolbar title="Call tree">
        <div class="segmented" role="group" aria-label="Direction">
          <button
            type="button"
            aria-pressed={option(DIRECTION) !== 'callers'}
            onClick={() => setOptions({ [DIRECTION]: '', [OPEN]: '' })}
          >
            Callees
          </button>
          <button
            type="button"
            aria-pressed={option(DIRECTION) === 'callers'}
            onClick={() => setOptions({ [DIRECTION]: 'callers', [OPEN]: '' })}
          >
            Callers
          </button>
        </div>
        <button type="button" onClick={() => openHot(rowAt(focused()))}>
          Expand the hot path
        </button>
        <button type="button" onClick={() => setOpen({ ...OPEN_NOTHING, collapsed: [rows()[0]?.node ?? 0] })}>
          Collapse all
        </button>
        <Show when={asked.answer()?.has_folded || option(FRAMEWORKS) !== ''}>
          <button
            type="button"
            aria-pressed={areFrameworksShown()}
            title="Show the frames of servers and frameworks between the thread\u2019s start and the program\u2019s own code"
            onClick={() => showFrameworks(!areFrameworksShown())}
          >
            Framework frames
          </button>
        </Show>
        <Show when={option(ROOT)}>
          {(name) => (
            <button type="button" title="Show the whole tree" onClick={() => setOptions({ [ROOT]: '', [OPEN]: '' })}>
              From {shortName(name())} ✕
            </button>
          )}
        </Show>
        <SearchBox search={search} />
      </Toolbar>
      <Show when={asked.error()}>{(error) => <Failure error={error()} />}</Show>
      <Show when={!asked.error() && search.error()}>{(error) => <p class="error">{error().message}</p>}</Show>
      <div
        ref={scroller}
        class="tree-scroller"
        role="treegrid"
        tabIndex={0}
        aria-label="Call tree"
        aria-rowcount={count() + 1}
        aria-busy={asked.isLoading()}
        aria-activedescendant={rowAt(focused()) ? `tree-row-${focused()}` : undefined}
        onScroll={() => setScrolled(scroller.scrollTop)}
        onKeyDown={press}
      >
        <div class="tree-head tree-row" role="row" aria-rowindex={1}>
          <For each={shownCells()}>
            {(cell) => (
              <span
                class="tree-value"
                role="columnheader"
                aria-sort={asked.answer()?.sorted_by === cell.field ? 'descending' : 'none'}
              >
                <button type="button" onClick={() => app.navigate({ sort: cell.sort })}>
                  <small>{cell.group}</small>
                  {asked.answer()?.sorted_by === cell.field ? '▼ ' : ''}
                  {cell.title}
                </button>
              </span>
            )}
          </For>
          <span class="tree-name" role="columnheader">
            Function
          </span>
        </div>
        <div class="tree-body" role="rowgroup" style={{ height: `${count() * ROW_HEIGHT}px` }}>
          <For each={rows()}>
            {(row, at) => {
              const index = () => firstRow() + at();
              const heat = () => {
                const column = heatColumn();
                return column ? columnValue(row, column) : 0;
              };
              const place = () => indentOf(row.depth, nameWidth());
              return (
                <div
                  id={`tree-row-${index()}`}
                  class="tree-row"
                  classList={{
                    'is-focused': index() === focused(),
                    'is-selected': row.function === app.state.selected,
                    'is-hot': hotPath().has(row.node),
                    'is-match': search.isMatch(row.function),
                  }}
                  role="row"
                  aria-level={row.depth + 1}
                  aria-rowindex={index() + 2}
                  aria-expanded={row.child_count > 0 ? row.is_expanded : undefined}
                  aria-selected={row.function === app.state.selected}
                  style={{ top: `${index() * ROW_HEIGHT}px` }}
                  onClick={() => {
                    focusOn(index());
                    choose(row);
                  }}
                  onMouseEnter={() => showDetails(row)}
                  onMouseLeave={() => showDetails(rowAt(focused()))}
                  onDblClick={() => toggle(row, !row.is_expanded)}
                  onContextMenu={(event) => {
                    event.preventDefault();
                    focusOn(index());
                    app.openFunctionMenu(row.function, { x: event.clientX, y: event.clientY }, { kind: row.kind });
                  }}
                >
                  <For each={shownCells()}>
                    {(cell) => (
                      <span class="tree-value" role="gridcell">
                        <Show when={cell.field === heatField()}>
                          <span class="tree-heat" style={{ width: `${heat() * 100}%` }} />
                        </Show>
                        <Show when={cell.bar}>{(bar) => <ChangeBar ratio={bar()(row)} />}</Show>
                        <span class="tree-number" classList={{ dim: cell.isDim(row) }}>
                          {cell.text(row)}
                        </span>
                      </span>
                    )}
                  </For>
                  <span class="tree-name" role="gridcell" style={{ 'padding-left': `${place().indent}px` }}>
                    <Show when={place().isDeep}>
                      <span class="tree-depth" aria-hidden="true" title="Level">
                        {row.depth}
                      </span>
                    </Show>
                    <span
                      class="tree-toggle"
                      classList={{ 'is-leaf': row.child_count === 0 }}
                      aria-hidden="true"
                      onClick={(event) => {
                        event.stopPropagation();
                        focusOn(index());
                        toggle(row, !row.is_expanded);
                      }}
                    >
                      {row.is_expanded ? '▾' : '▸'}
                    </span>
                    <span class="tree-kind" style={{ background: kindColour(row.kind) }} title={row.kind} />
                    {mark()?.(row)}
                    <FunctionName name={row.function} room={nameWidth() - place().indent - NAME_SPACE} />
                  </span>
                </div>
              );
            }}
          </For>
        </div>
      </div>
      <HiddenColumns titles={layout().hidden.map(({ each }) => `${each?.group} ${each?.title}`)} space={columnSpace} />
      <ComparedNotes notes={asked.answer()?.notes} />
    </section>
  );
}

/** A column of values, or the column of names. */
interface TreeColumn extends SizedColumn {
  each?: ComparedCell;
}

/** The share of the whole, with its bar, says most in a narrow window. */
function importanceOf(cell: ComparedCell, heatField: string | undefined): number {
  return cell.field === heatField || cell.bar ? 1 : 0;
}

/** The content of the tree's cells. */
function treeCells(columns: readonly Column[], total: Values | undefined, by: ChangeBy): ComparedCell[] {
  if (columns.some((column) => column.part)) return comparedCells(columns, total, by);
  return columns.map((column) => ({
    field: fieldOf(column),
    group: groupOf(column),
    title: headingOf(column),
    sort: languageOf(column),
    text: (row) => cellOf(row, column),
    isDim: () => false,
  }));
}

function kindColour(kind: string): string {
  const name = kind === 'java' ? 'jit' : kind;
  const known = FRAME_KINDS.find((frame) => frame.name === name) ?? FRAME_KINDS[0];
  return known[appearance()];
}

export const view: ViewDefinition = {
  name: 'call-tree',
  title: 'Call tree',
  question: 'How is the cost distributed from the root down?',
  key: 't',
  order: 40,
  group: 'code',
  component: CallTree,
  keys: [
    ['→ ←', 'Open or close a subtree; go down or up'],
    ['*', 'Expand the hot path'],
    ['n N', 'Next or previous match'],
    ['Enter', 'Select the function'],
    ['m', 'Menu of the function'],
  ],
};
