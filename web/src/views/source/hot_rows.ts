// Decides which row of a listing to show first, and which rows to jump to.
import type { Listing, SourceRow, Values } from '../../engine/answers';

/** A row of code with the values of its cost. Rows without cost have no values. */
export type CodeRow = SourceRow & Values;

type Cost = (row: CodeRow) => number;

/** The row with the highest cost; -1 if no row has a cost. */
export function hottestRow(listing: Listing, cost: Cost, from = 0, to = listing.rows.length): number {
  let best = -1;
  let most = 0;
  for (let index = from; index < to; index += 1) {
    const row = listing.rows[index];
    const here = row === undefined || row.kind === 'unplaced' ? 0 : cost(row);
    if (here > most) [best, most] = [index, here];
  }
  return best;
}

/** The row with the highest cost of the requested function, otherwise the function's first row, otherwise the top. */
export function firstShown(listing: Listing, cost: Cost): number {
  const starts = listing.functions.map((each) => each.first_row).filter((row) => row !== null);
  const start = listing.functions.find((each) => each.is_asked)?.first_row ?? 0;
  const end = Math.min(listing.rows.length, ...starts.filter((row) => row > start));
  const hottest = hottestRow(listing, cost, start, end);
  return hottest >= 0 ? hottest : start;
}

/** The next row with a cost in one direction, wrapping at the ends; -1 if there is no such row. */
export function nextCost(listing: Listing, cost: Cost, from: number, step: 1 | -1): number {
  const { rows } = listing;
  for (let count = 1; count <= rows.length; count += 1) {
    const index = (((from + step * count) % rows.length) + rows.length) % rows.length;
    const row = rows[index];
    if (row && cost(row) > 0) return index;
  }
  return -1;
}
