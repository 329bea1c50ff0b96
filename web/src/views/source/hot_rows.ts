// Which rows of a listing to show first and to jump to.
import type { Values } from '../../engine/shapes';

export type SourceRow = Values & {
  kind: 'source' | 'instruction' | 'unplaced';
  line: number | null;
  bytecode_index: number | null;
  address: number | string | null;
  text: string;
};

export interface Listing {
  kind: string;
  why: string | null;
  source_file: string | null;
  path: string | null;
  functions: readonly (Values & { function: string; is_asked: boolean; first_row: number | null })[];
  values: Values;
  rows: readonly SourceRow[];
}

type Cost = (row: SourceRow) => number;

/** The row with the most cost; -1 if none has any. */
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

/** Where the asked function's cost is; else where it begins; else the top. */
export function firstShown(listing: Listing, cost: Cost): number {
  const starts = listing.functions.map((each) => each.first_row).filter((row) => row !== null);
  const start = listing.functions.find((each) => each.is_asked)?.first_row ?? 0;
  const end = Math.min(listing.rows.length, ...starts.filter((row) => row > start));
  const hottest = hottestRow(listing, cost, start, end);
  return hottest >= 0 ? hottest : start;
}

/** The next row with cost in one direction, around the end; -1 if there is none. */
export function nextCost(listing: Listing, cost: Cost, from: number, step: 1 | -1): number {
  const { rows } = listing;
  for (let count = 1; count <= rows.length; count += 1) {
    const index = (((from + step * count) % rows.length) + rows.length) % rows.length;
    const row = rows[index];
    if (row && cost(row) > 0) return index;
  }
  return -1;
}
