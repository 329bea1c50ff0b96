// The answer to a `flame-graph` request, and what a box of it stands for.
import type { BinaryAnswer } from '../../engine/answer';
import type { Request } from '../../engine/request';
import type { Unit } from '../../engine/shapes';
import { type FlameArrays, FlameBoxes } from '../../canvas/flame_boxes';
import { OPEN_NOTHING, writeOpen } from '../call_tree/open_nodes';

/** `callees`: from the root down; `callers`: from where stacks end up to who called. */
export type Direction = 'callees' | 'callers';

export interface FlameHeader {
  metric: string;
  unit: Unit;
  direction: Direction;
  /** Value of all stacks that the filter leaves. */
  total: number;
  /** Value of what the graph is zoomed to. */
  shown_total: number;
  /** Rows of the whole graph below the zoom. */
  row_count: number;
  names: Record<string, string>;
  zoom_path: ZoomStep[];
  search: SearchResult | null;
  notes: string[];
}

/** A step from the root to what the graph is zoomed to. */
export interface ZoomStep {
  node?: number | null;
  function: number;
  name: string;
}

export interface SearchResult {
  matched_weight: number;
  /** Of the total. */
  matched_ratio: number;
  match_count: number;
  function_count: number;
  /** The heaviest first. */
  matches?: Match[];
}

export interface Match {
  node: number;
  row: number;
  function: number;
  value: number;
}

export type FlameAnswer = BinaryAnswer<FlameHeader>;

/** A graph on screen, and what was asked for it but for the search. */
export interface ShownGraph {
  readonly answer: FlameAnswer | undefined;
  readonly asked: string;
}

/**
 * The graph to show: the answer, or, while only the text of the search is wrong (an expression that is not finished),
 * the same graph as before, without matches.
 */
export function shownGraph(before: ShownGraph | undefined, request: Request | undefined, answer: FlameAnswer | undefined): ShownGraph {
  const asked = JSON.stringify({ ...request, search: null });
  const isSame = answer === undefined && request !== undefined && request['search'] !== null && before?.asked === asked;
  if (!isSame || before.answer === undefined) return { answer, asked };
  return { answer: { ...before.answer, header: { ...before.answer.header, search: null } }, asked };
}

/** Where joined boxes beside the only one of the top row are listed: the branches of the call tree that has all of them. */
export interface JoinedPlace {
  readonly direction: Direction;
  readonly root: string | null;
  readonly zoomPath: readonly ZoomStep[];
}

/** The options of the call tree that show them. */
export function callTreeOf({ direction, root, zoomPath }: JoinedPlace): Record<string, string> {
  // Bottom-up, nodes have no numbers: the first function of the path is where its tree begins.
  const from = root ?? (direction === 'callers' ? (zoomPath[1]?.name ?? null) : null);
  const expanded = direction === 'callees' && root === null ? zoomPath.flatMap((step) => step.node ?? []) : [];
  return {
    'call-tree.direction': direction === 'callers' ? 'callers' : '',
    'call-tree.from': from ?? '',
    'call-tree.open': expanded.length > 0 ? writeOpen({ ...OPEN_NOTHING, expanded }) : '',
  };
}

export function boxesOf(answer: FlameAnswer): FlameBoxes {
  return new FlameBoxes(answer.arrays as unknown as FlameArrays, answer.header.names);
}


/** Where a click on a box zooms to. Nodes are numbered for the tree; bottom-up paths are made of functions. */
export function zoomOf(boxes: FlameBoxes, box: number, direction: Direction, zoom: readonly number[]): number[] {
  const { row, node } = boxes.arrays;
  if (row[box] === 0) return [...zoom];
  if (direction === 'callees') return [node[box]!];
  const path: number[] = [];
  for (let at = box; row[at]! > 0; at = boxes.step(at, 'parent')) path.unshift(boxes.arrays.function[at]!);
  return [...zoom, ...path];
}

/** Where a step of the breadcrumbs zooms to; the first is all. */
export function zoomOfStep(steps: readonly ZoomStep[], index: number, direction: Direction): number[] {
  if (index <= 0) return [];
  if (direction === 'callers') return steps.slice(1, index + 1).map((step) => step.function);
  const { node } = steps[index]!;
  return node === null || node === undefined ? [] : [node];
}
