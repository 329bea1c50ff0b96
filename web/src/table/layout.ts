// Which columns of a table fit, and their widths in pixels. Numbers are never cut: their columns are as wide as their content.
// The column of names takes the remaining width. If the columns do not fit, the least important columns are hidden.

/** What the layout knows of a column. */
export interface SizedColumn {
  key: string;
  /** Width in CSS: `84px`, `minmax(76px, 96px)` or `minmax(240px, 1fr)`. */
  width: string;
  isNumber?: boolean;
  /** The column of names: it comes first, stays on screen, and is never hidden. */
  isName?: boolean;
  /** A column of names is at most this many pixels wider than its content, so that the values follow it. Undefined: no limit. */
  spare?: number;
  /** A column of names is at most this many pixels wide, so that the values are near it in a wide window. Undefined: no limit. */
  widest?: number;
  /** The text is never cut, and the column is never hidden. If the text is wider than the column, the table scrolls. */
  isWhole?: boolean;
  /** Columns with a larger importance are preferred, and of equal columns the first. Default: 0. */
  importance?: number;
}

export interface Layout<Column> {
  /** The visible columns, names first. */
  columns: Column[];
  /** Widths in pixels, in the same order. */
  widths: number[];
  hidden: Column[];
}

export interface Space {
  /** Width of the table in pixels. */
  available: number;
  /** Widths that the contents need, by key of column. */
  needs: Readonly<Record<string, number>>;
  /** The key of the column that is never hidden, because rows are sorted by it. */
  sorted: string | undefined;
  /** True: all columns are shown, even if the table is wider than the window. */
  isAll: boolean;
}

/** A name is never narrower, even if the window is. */
const NARROWEST_NAME = 148;
/** In a narrow window, this part of the width is for names. */
const NAME_SHARE = 0.45;

/** A name has this width before columns of numbers become wider than their content. */
const USUAL_NAME = 560;

interface Size {
  least: number;
  most: number;
  /** Share of the remaining width; 0: the column does not grow beyond `most`. */
  grows: number;
  /** The column never grows beyond it. */
  cap: number;
}

export function layoutColumns<Column extends SizedColumn>(columns: readonly Column[], space: Space): Layout<Column> {
  const sizes = new Map(columns.map((column) => [column, sizeOf(column, space)]));
  const size = (column: Column) => sizes.get(column) ?? { least: 0, most: 0, grows: 0, cap: 0 };
  const fitting = space.isAll ? new Set(columns) : fittingColumns(columns, space, (column) => size(column).least);
  const isName = (column: Column) => Number(column.isName ?? false);
  const visible = columns.filter((column) => fitting.has(column)).sort((left, right) => isName(right) - isName(left));
  const widths = grown(visible.map(size), space.available);
  return {
    columns: visible,
    widths: widths.map((width, index) => (visible[index]?.isWhole ? Math.max(width, need(visible[index], space)) : width)),
    hidden: columns.filter((column) => !fitting.has(column)),
  };
}

/** The name, the sorted column, whole texts, at least one value, and the most important other columns that fit. */
function fittingColumns<Column extends SizedColumn>(
  columns: readonly Column[],
  { available, sorted }: Space,
  least: (column: Column) => number,
): Set<Column> {
  // Whole texts scroll, so they leave room for a value.
  const fitting = new Set(columns.filter((column) => column.isName || column.isWhole || column.key === sorted));
  const isValue = (column: Column) => !column.isName && !column.isWhole;
  const hasValue = () => [...fitting].some(isValue);
  let used = [...fitting].reduce((sum, column) => sum + least(column), 0);
  const others = columns.filter((column) => !fitting.has(column));
  for (const column of others.sort((left, right) => (right.importance ?? 0) - (left.importance ?? 0))) {
    if (used + least(column) > available && hasValue()) continue;
    fitting.add(column);
    used += least(column);
  }
  return fitting;
}

/** The width of the content in pixels; 0 if it is unknown. */
function need(column: SizedColumn, space: Space): number {
  return Math.ceil(space.needs[column.key] ?? 0);
}

function sizeOf(column: SizedColumn, space: Space): Size {
  const [, least = '0', most = least, unit = 'px'] = /^(?:minmax\()?([\d.]+)px(?:, ([\d.]+)(px|fr)\))?/.exec(column.width) ?? [];
  const width = Math.max(Number(least), column.isNumber ? need(column, space) : 0);
  const size = {
    least: width,
    most: unit === 'px' ? Math.max(width, Number(most)) : width,
    grows: unit === 'fr' ? Number(most) : 0,
    cap: capOf(column, width, space),
  };
  if (!column.isName) return size;
  const narrow = Math.max(NARROWEST_NAME, Math.floor(space.available * NAME_SHARE));
  return { ...size, least: Math.min(size.least, narrow) };
}

function capOf(column: SizedColumn, least: number, space: Space): number {
  if (column.spare === undefined) return Math.max(least, column.widest ?? Number.POSITIVE_INFINITY);
  const content = need(column, space);
  return content === 0 ? USUAL_NAME : Math.max(least, content + column.spare);
}

/** Distributes the remaining width: first to the name, then up to the largest usual width, then over the columns that grow. */
function grown(sizes: readonly Size[], available: number): number[] {
  const widths = sizes.map((size) => size.least);
  let rest = Math.floor(available) - widths.reduce((sum, width) => sum + width, 0);
  sizes.forEach((size, index) => {
    const most = Math.min(index === 0 && size.grows > 0 ? USUAL_NAME : size.most, size.cap);
    const more = Math.max(0, Math.min(rest, most - size.least));
    widths[index]! += more;
    rest -= more;
  });
  if (rest > 0 && sizes.every((size) => size.grows === 0)) widths[0]! += rest;
  const growing = sizes.map((size, index) => (widths[index]! < size.cap ? size.grows : 0));
  const shares = growing.reduce((sum, grows) => sum + grows, 0);
  if (rest <= 0 || shares === 0) return widths;
  return widths.map((width, index) =>
    Math.min(Math.floor(width + (rest * growing[index]!) / shares), Math.max(width, sizes[index]!.cap)),
  );
}
