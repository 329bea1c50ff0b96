// The matches of a search in the call tree, and the way from the root to a match. The functions are pure.
import { BoxFlag, type FlameBoxes } from '../../canvas/flame_boxes';
import type { SearchMatch, TreeWindowRow } from '../../engine/answers';

export interface TreeMatch {
  readonly node: number;
  /** Number of the function. */
  readonly of: number;
  /** The box of the flame graph; undefined if it is too small for a box. */
  readonly box: number | undefined;
}

/**
 * All matches with a box, the heaviest first, then the smaller ones. The engine lists only outermost matches, and boxes also
 * show matches below them.
 */
export function matchesOf(boxes: FlameBoxes, outermost: readonly SearchMatch[]): TreeMatch[] {
  const { node, value, function: of } = boxes.arrays;
  const drawn: TreeMatch[] = [];
  for (let box = 0; box < boxes.length; box += 1) {
    if (boxes.has(box, BoxFlag.matches)) drawn.push({ node: node[box]!, of: of[box]!, box });
  }
  drawn.sort((left, right) => value[right.box!]! - value[left.box!]!);
  const known = new Set(drawn.map((match) => match.node));
  const small = outermost.filter((match) => !known.has(match.node));
  return [...drawn, ...small.map((match) => ({ node: match.node, of: match.function, box: undefined }))];
}

/** A row on the way, the root left out. */
export interface WayStep {
  readonly node: number;
  readonly name: string;
}

/** The way to a box of the flame graph with the same stacks. */
export function wayTo(boxes: FlameBoxes, box: number): WayStep[] {
  const way: WayStep[] = [];
  for (let at = box; boxes.arrays.row[at]! > 0; at = boxes.step(at, 'parent')) {
    way.unshift({ node: boxes.arrays.node[at]!, name: boxes.name(at) });
  }
  return way;
}

type Row = Pick<TreeWindowRow, 'node' | 'depth' | 'function' | 'is_expanded' | 'child_count'>;

/**
 * How far the open rows lead on a way: to the row at its end, or to the row that must be opened first. `rows` are all rows from
 * the root on. `isAt`: whether a row belongs to a step.
 */
export function followWay(
  rows: readonly Row[],
  way: readonly WayStep[],
  isAt: (row: Row, step: WayStep) => boolean,
): { index: number; isClosed: boolean } {
  let index = 0;
  for (const step of way) {
    const { depth, is_expanded, child_count } = rows[index]!;
    if (!is_expanded) return { index, isClosed: child_count > 0 };
    let next = index + 1;
    while (rows[next] && rows[next]!.depth > depth && !(rows[next]!.depth === depth + 1 && isAt(rows[next]!, step))) next += 1;
    if (!rows[next] || rows[next]!.depth <= depth) break;
    index = next;
  }
  return { index, isClosed: false };
}
