// A table of any length. Only visible rows exist in the page. It has one tab stop: arrows, Page Up and Down, Home and End move,
// Enter acts, and the menu key opens the row's menu. For screen readers it is a grid with row numbers and an active row.
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import type { MenuPlace } from '../app';
import { HiddenColumns } from './hidden_columns';
import { type Layout, layoutColumns, type SizedColumn } from './layout';
import { createTableSpace, measuredNeeds, type TableSpace } from './table_space';
import { scrollTo, visibleRows } from './window';
import './table.css';

/** The heading stays above the rows while they scroll. */
const HEAD_HEIGHT = 43;

export interface TableColumn<Row> extends SizedColumn {
  /** First line of the heading; may be empty. */
  group?: string;
  title: string;
  /** The value of `sort` for this column. Undefined: the table cannot be sorted by this column. */
  sort?: string;
  /** `room`: the column's width in pixels, without its padding. */
  cell(row: Row, index: number, room: () => number): JSX.Element;
  /** The filled part of the cell, 0 to 1. */
  heat?(row: Row): number;
  /** Drawn below the text, for other kinds of bars. */
  under?(row: Row): JSX.Element;
  /** Tooltip of the heading. */
  description?: string;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly TableColumn<Row>[];
  rowCount: number;
  /** Undefined until the row is loaded. */
  rowAt(index: number): Row | undefined;
  /** Called with the rows on the screen. */
  onVisible?(first: number, count: number): void;
  /** Position of the marked row; -1: no row is marked. */
  selected?: number;
  sortedBy?: string | null;
  onSort?(sort: string): void;
  onSelect?(row: Row, index: number): void;
  onActivate?(row: Row, index: number): void;
  onMenu?(row: Row, place: MenuPlace): void;
  onPoint?(row: Row | null): void;
  /** Handles other keys. Returns true if it has used the key. */
  onKey?(event: KeyboardEvent, row: Row | undefined, index: number): boolean;
  rowClass?(row: Row): string;
  rowHeight?: number;
  /** When this number changes, the row with this number scrolls into view. */
  revealed?: number;
  /** Rows are dimmed until the newer answer arrives. */
  isStale?: boolean;
  /** The text that is shown if there are no rows. */
  empty?: string;
  /** Without headings, for a second table with the same columns. */
  hasNoHeading?: boolean;
  /** The height fits the rows instead of filling the view; for short tables. */
  isInline?: boolean;
  /** Widths that several tables share. */
  space?: TableSpace;
  class?: string;
}

/** Pixels to the left and right of the text. The style sheet has the same value. */
const CELL_PADDING = 16;

export function VirtualTable<Row>(props: TableProps<Row>): JSX.Element {
  const id = createUniqueId();
  const rowHeight = () => props.rowHeight ?? 26;
  const [scrollTop, setScrollTop] = createSignal(0);
  const [height, setHeight] = createSignal(400);
  const [active, setActive] = createSignal(Math.max(0, props.selected ?? 0));
  const space = props.space ?? createTableSpace();
  const [width, setWidth] = createSignal(1000);
  let body!: HTMLDivElement;

  const shown = createMemo(() =>
    props.isInline ? { first: 0, end: props.rowCount } : visibleRows(scrollTop(), height(), rowHeight(), props.rowCount),
  );
  const indices = createMemo(() => Array.from({ length: shown().end - shown().first }, (_, offset) => shown().first + offset));
  const layout = createMemo(() => {
    const sorted = props.columns.find((column) => column.sort !== undefined && column.sort === props.sortedBy)?.key;
    return layoutColumns(props.columns, { available: width(), needs: space.needs(), sorted, isAll: space.isAll() });
  });
  const template = () =>
    layout()
      .widths.map((each) => `${each}px`)
      .join(' ');
  createEffect(() => {
    // Read, so that the contents are measured again after each change.
    for (const index of indices()) props.rowAt(index);
    layout();
    requestAnimationFrame(() => body.isConnected && space.widen(measuredNeeds(body)));
  });

  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(Math.max(rowHeight(), body.clientHeight - (props.hasNoHeading ? 0 : HEAD_HEIGHT)));
      if (body.clientWidth > 0) setWidth(body.clientWidth);
    });
    observer.observe(body);
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => props.onVisible?.(shown().first, shown().end - shown().first));
  createEffect(() => {
    if (props.selected !== undefined && props.selected >= 0) setActive(props.selected);
  });
  createEffect(
    on(
      () => props.revealed,
      (index) => {
        if (index !== undefined && index >= 0) queueMicrotask(() => reveal(index, true));
      },
    ),
  );

  const reveal = (index: number, isCentred = false) => {
    if (props.isInline) return;
    const target = isCentred
      ? Math.max(0, index * rowHeight() - body.clientHeight / 2)
      : scrollTo(index, body.scrollTop, height(), rowHeight());
    if (target !== body.scrollTop) body.scrollTop = target;
    setScrollTop(body.scrollTop);
  };
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(props.rowCount - 1, index));
    setActive(target);
    reveal(target);
    const row = props.rowAt(target);
    if (row !== undefined) props.onSelect?.(row, target);
  };
  const page = () => Math.max(1, Math.floor(height() / rowHeight()) - 1);
  const steps: Record<string, () => number> = {
    ArrowDown: () => active() + 1,
    ArrowUp: () => active() - 1,
    PageDown: () => active() + page(),
    PageUp: () => active() - page(),
    Home: () => 0,
    End: () => props.rowCount - 1,
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== body || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = props.rowAt(active());
    const step = steps[event.key];
    if (step) moveTo(step());
    else if (event.key === 'Enter' && row !== undefined && props.onActivate) props.onActivate(row, active());
    else if (isMenuKey(event) && row !== undefined && props.onMenu) props.onMenu(row, placeOf(active()));
    else if (!props.onKey?.(event, row, active())) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const placeOf = (index: number): MenuPlace => {
    const box = document.getElementById(`${id}-${index}`)?.getBoundingClientRect();
    return box ? { x: Math.min(box.left + 320, window.innerWidth / 2), y: box.bottom } : { x: 200, y: 200 };
  };

  return (
    <div
      class={`table-frame ${props.class ?? ''}`}
      classList={{ stale: props.isStale ?? false, inline: props.isInline ?? false }}
    >
      <div
        class="table"
        role="grid"
        tabIndex={0}
        ref={body}
        aria-label={props.label}
        aria-rowcount={props.rowCount + 1}
        aria-colcount={layout().columns.length}
        aria-activedescendant={props.rowCount > 0 ? `${id}-${active()}` : undefined}
        style={{ '--columns': template(), '--row-height': `${rowHeight()}px` }}
        onScroll={() => setScrollTop(body.scrollTop)}
        onKeyDown={onKeyDown}
        onMouseLeave={() => props.onPoint?.(null)}
      >
        <div class="table-head" classList={{ 'off-screen': props.hasNoHeading ?? false }} role="row" aria-rowindex={1}>
          <For each={layout().columns}>{(column) => <Heading column={column} table={props} />}</For>
        </div>
        <div class="table-space" role="rowgroup" style={{ height: `${props.rowCount * rowHeight()}px` }}>
          <For each={indices()}>
            {(index) => (
              <TableRow
                id={`${id}-${index}`}
                index={index}
                table={props}
                layout={layout()}
                isActive={active() === index}
                onClick={(event) => {
                  const row = props.rowAt(index);
                  setActive(index);
                  if (row === undefined || isOnControl(event)) return;
                  props.onSelect?.(row, index);
                  if (event.detail === 2) props.onActivate?.(row, index);
                }}
              />
            )}
          </For>
        </div>
      </div>
      <Show when={props.rowCount === 0 && props.empty}>
        <p class="table-empty">{props.empty}</p>
      </Show>
      <Show when={!props.hasNoHeading}>
        <HiddenColumns titles={layout().hidden.map(titleOf)} space={space} />
      </Show>
    </div>
  );
}

function titleOf({ group, title }: { group?: string; title: string }): string {
  return [group, title].filter((part) => part).join(' ');
}

function Heading<Row>(props: { column: TableColumn<Row>; table: TableProps<Row> }): JSX.Element {
  const isSorted = () => props.column.sort !== undefined && props.table.sortedBy === props.column.sort;
  const text = () => (
    <>
      <span class="head-group">{props.column.group ?? ''}</span>
      <span class="head-title">
        <Show when={isSorted()}>
          <span class="head-arrow" aria-hidden="true">
            ▼
          </span>
        </Show>
        {props.column.title}
      </span>
    </>
  );
  return (
    <div
      class="head-cell"
      classList={{ number: props.column.isNumber ?? false, name: props.column.isName ?? false, sorted: isSorted() }}
      data-column={props.column.key}
      role="columnheader"
      aria-sort={isSorted() ? (props.column.sort === 'name' ? 'ascending' : 'descending') : undefined}
    >
      <Show when={props.column.sort !== undefined && props.table.onSort} fallback={<span class="head-text">{text()}</span>}>
        <button
          type="button"
          class="head-text"
          title={props.column.description}
          onClick={() => props.table.onSort?.(props.column.sort ?? '')}
        >
          {text()}
        </button>
      </Show>
    </div>
  );
}

function TableRow<Row>(props: {
  id: string;
  index: number;
  table: TableProps<Row>;
  layout: Layout<TableColumn<Row>>;
  isActive: boolean;
  onClick(event: MouseEvent): void;
}): JSX.Element {
  const row = createMemo(() => props.table.rowAt(props.index));
  const isSelected = () => props.table.selected === props.index;
  return (
    <div
      id={props.id}
      class={`table-row ${row() === undefined ? 'absent' : (props.table.rowClass?.(row() as Row) ?? '')}`}
      classList={{ selected: isSelected(), active: props.isActive, odd: props.index % 2 === 1 }}
      role="row"
      aria-rowindex={props.index + 2}
      aria-selected={isSelected()}
      style={{ transform: `translateY(${props.index * (props.table.rowHeight ?? 26)}px)` }}
      onClick={(event) => props.onClick(event)}
      onMouseEnter={() => props.table.onPoint?.(row() ?? null)}
      onContextMenu={(event) => {
        const shown = row();
        if (shown === undefined || !props.table.onMenu) return;
        event.preventDefault();
        props.table.onSelect?.(shown, props.index);
        props.table.onMenu(shown, { x: event.clientX, y: event.clientY });
      }}
    >
      <For each={props.layout.columns}>
        {(column, at) => (
          <div
            class="cell"
            classList={{
              number: column.isNumber ?? false,
              name: column.isName ?? false,
              whole: column.isWhole ?? false,
              fitted: column.spare !== undefined,
            }}
            data-column={column.key}
            role="gridcell"
          >
            <Show when={row() !== undefined}>
              <Show when={column.heat}>
                {(heat) => <span class="heat" style={{ width: `${Math.max(0, Math.min(1, heat()(row() as Row))) * 100}%` }} />}
              </Show>
              {column.under?.(row() as Row)}
              <span class="cell-text">
                {column.cell(row() as Row, props.index, () => (props.layout.widths[at()] ?? 0) - CELL_PADDING)}
              </span>
            </Show>
          </div>
        )}
      </For>
    </div>
  );
}

export function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey) || event.key === 'm';
}

/** Buttons and links in a row have their own actions. */
function isOnControl(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.closest('button, a, input') !== null;
}
