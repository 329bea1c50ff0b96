// Converts the rows of a share into the lines of a chart. Each version, host or other group has a line, with a value or
// a gap in each period. The functions are pure.
import type { Share, ShareRow } from '../../engine/fleet';
import { byName } from './choice';
import type { Span } from './times';

export type Flavour = 'inclusive' | 'exclusive';

export interface ShareLine {
  readonly part: string;
  /** One value for each period; null: no data. */
  readonly values: readonly (ShareRow | null)[];
}

export interface ShareLines {
  readonly periods: readonly Span[];
  /**
   * Parts with data in most periods come first, then parts with the largest share. At most `MOST_LINES`, sorted by
   * name.
   */
  readonly lines: readonly ShareLine[];
  readonly part_count: number;
}

/** The user cannot distinguish more lines. */
export const MOST_LINES = 8;
/** A typing error in an address must not create millions of periods. */
const MOST_PERIODS = 400;

/** Uses the time range of the answer, which may differ from the present settings. */
export function linesOf(answer: Pick<Share, 'from_s' | 'to_s' | 'every_s' | 'rows'> | undefined): ShareLines {
  const { from_s: start_s, to_s: end_s, every_s, rows } = answer ?? { from_s: 0, to_s: 0, every_s: 1, rows: [] };
  const periods: Span[] = [];
  for (let from_s = start_s; from_s < end_s && periods.length < MOST_PERIODS; from_s += every_s) {
    periods.push({ from_s, to_s: from_s + every_s });
  }
  const parts = new Map<string, Map<number, ShareRow>>();
  for (const row of rows) {
    const known = parts.get(row.part) ?? new Map<number, ShareRow>();
    parts.set(row.part, known.set(row.from_s, row));
  }
  const shown = [...parts].sort(([, left], [, right]) => weight(right) - weight(left)).slice(0, MOST_LINES);
  const lines = shown
    .sort(([left], [right]) => byName(left, right))
    .map(([part, known]) => ({
      part,
      values: periods.map(({ from_s }) => known.get(from_s) ?? null),
    }));
  return { periods, lines, part_count: parts.size };
}

export function ratioOf(row: ShareRow | null | undefined, flavour: Flavour): number | null {
  return row?.[`${flavour}_ratio`] ?? null;
}

/** Ranges of values without a gap, as positions; the end is exclusive. */
export function runsOf(values: readonly (number | null)[]): (readonly [start: number, end: number])[] {
  const runs: (readonly [number, number])[] = [];
  let start = -1;
  values.forEach((value, index) => {
    if (value !== null && start < 0) start = index;
    if (value === null && start >= 0) {
      runs.push([start, index]);
      start = -1;
    }
  });
  return start >= 0 ? [...runs, [start, values.length]] : runs;
}

/** Periods in which no line has a value, as ranges. */
export function gapsOf({ periods, lines }: ShareLines): (readonly [start: number, end: number])[] {
  const isEmpty = periods.map((_, index) => lines.every(({ values }) => values[index] === null));
  return runsOf(isEmpty.map((empty) => (empty ? 1 : null)));
}

function weight(known: ReadonlyMap<number, ShareRow>): number {
  let sum = 0;
  for (const { inclusive_ratio } of known.values()) sum += 1 + (inclusive_ratio ?? 0);
  return sum;
}
