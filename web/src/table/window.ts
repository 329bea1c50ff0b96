// Which rows a table asks for: whole blocks around what is visible, so that small scrolls ask for nothing.

export interface RowWindow {
  skip: number;
  limit: number;
}

/** Rows of a block. A screen shows 20 to 60. */
const BLOCK = 100;

/** The blocks that hold rows `first` to before `first + count`, and one block beyond on the side of scrolling. */
export function windowAround(first: number, count: number): RowWindow {
  const start = Math.max(0, Math.floor((first - BLOCK / 2) / BLOCK) * BLOCK);
  const end = Math.ceil((first + count + BLOCK / 2) / BLOCK) * BLOCK;
  return { skip: start, limit: Math.max(BLOCK, end - start) };
}

/** Rows that are drawn: the visible ones and a few more, so that fast scrolling shows no gap. */
export function visibleRows(scrollTop: number, height: number, rowHeight: number, rowCount: number): { first: number; end: number } {
  const margin = 6;
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rowCount, Math.ceil((scrollTop + height) / rowHeight) + margin);
  return { first: Math.min(first, end), end };
}

/** The scroll position from which `index` is fully visible, moving as little as possible. */
export function scrollTo(index: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  const bottom = top + rowHeight;
  return bottom > scrollTop + height ? bottom - height : scrollTop;
}
