// The rows that a table requests: whole blocks around the visible rows, so that short scrolling needs no request.

export interface RowWindow {
  skip: number;
  limit: number;
}

/** Rows per block. A screen shows 20 to 60 rows. */
const BLOCK = 100;

/** The blocks with the rows from `first` to before `first + count`, and one more block in the direction of scrolling. */
export function windowAround(first: number, count: number): RowWindow {
  const start = Math.max(0, Math.floor((first - BLOCK / 2) / BLOCK) * BLOCK);
  const end = Math.ceil((first + count + BLOCK / 2) / BLOCK) * BLOCK;
  return { skip: start, limit: Math.max(BLOCK, end - start) };
}

/** The rows that are drawn: the visible rows and some more rows, so that fast scrolling shows no gap. */
export function visibleRows(
  scrollTop: number,
  height: number,
  rowHeight: number,
  rowCount: number,
): { first: number; end: number } {
  const margin = 6;
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rowCount, Math.ceil((scrollTop + height) / rowHeight) + margin);
  return { first: Math.min(first, end), end };
}

/** The nearest scroll position at which `index` is fully visible. */
export function scrollTo(index: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  const bottom = top + rowHeight;
  return bottom > scrollTop + height ? bottom - height : scrollTop;
}
