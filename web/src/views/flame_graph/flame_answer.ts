// The answer to a `flame-graph` request, and the meaning of its boxes.

import { FlameBoxes } from '../../canvas/flame_boxes';
import type { Direction, ZoomStep } from '../../engine/answers';
import type { FlameAnswer } from '../../engine/pictures';
import type { Request } from '../../engine/request';
import { OPEN_NOTHING, writeOpen } from '../call_tree/open_nodes';

/** A graph on screen, and its request without the search. */
export interface ShownGraph {
  readonly answer: FlameAnswer | undefined;
  readonly asked: string;
}

/**
 * The graph to show: normally the answer. While the search is an unfinished expression, the graph is the previous one
 * without matches.
 */
export function shownGraph(
  before: ShownGraph | undefined,
  request: Request | undefined,
  answer: FlameAnswer | undefined,
): ShownGraph {
  const asked = JSON.stringify({ ...request, search: null });
  const isSame = answer === undefined && request !== undefined && request.search !== null && before?.asked === asked;
  if (!isSame || before.answer === undefined) return { answer, asked };
  return { answer: { ...before.answer, header: { ...before.answer.header, search: null } }, asked };
}

/**
 * The place of joined boxes directly below the zoomed box. The call tree lists the joined functions in the same
 * subtree.
 */
export interface JoinedPlace {
  readonly direction: Direction;
  readonly root: string | null;
  readonly zoomPath: readonly ZoomStep[];
}

/** The options of the call tree that show the joined boxes. */
export function callTreeOf({ direction, root, zoomPath }: JoinedPlace): Record<string, string> {
  // In bottom-up graphs, nodes have no numbers. The tree begins at the first function of the path.
  const from = root ?? (direction === 'callers' ? (zoomPath[1]?.name ?? null) : null);
  const expanded = direction === 'callees' && root === null ? zoomPath.map((step) => step.node) : [];
  return {
    'call-tree.direction': direction === 'callers' ? 'callers' : '',
    'call-tree.from': from ?? '',
    'call-tree.open': expanded.length > 0 ? writeOpen({ ...OPEN_NOTHING, expanded }) : '',
  };
}

export function boxesOf(answer: FlameAnswer): FlameBoxes {
  return new FlameBoxes(answer.arrays, answer.header.names);
}

/** The zoom after a click on a box. Top-down, it is the number of a node. Bottom-up, it is a path of functions. */
export function zoomOf(boxes: FlameBoxes, box: number, direction: Direction, zoom: readonly number[]): number[] {
  const { row, node } = boxes.arrays;
  if (row[box] === 0) return [...zoom];
  if (direction === 'callees') return [node[box]!];
  const path: number[] = [];
  for (let at = box; row[at]! > 0; at = boxes.step(at, 'parent')) path.unshift(boxes.arrays.function[at]!);
  return [...zoom, ...path];
}

/** The zoom after a click on a step of the breadcrumbs. The first step shows everything. */
export function zoomOfStep(steps: readonly ZoomStep[], index: number, direction: Direction): number[] {
  if (index <= 0) return [];
  if (direction === 'callers') return steps.slice(1, index + 1).map((step) => step.function);
  return [steps[index]!.node];
}
