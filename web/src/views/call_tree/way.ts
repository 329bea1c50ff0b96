// The way from the root of the call tree to a match of the search. The functions are pure.
import type { FlameBoxes } from '../../canvas/flame_boxes';
import type { TreeWindowRow } from '../../engine/answers';

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
