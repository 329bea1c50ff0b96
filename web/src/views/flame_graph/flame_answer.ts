// The answer to a `flame-graph` request, and what a box of it stands for.
import type { BinaryAnswer } from '../../engine/answer';
import type { Unit } from '../../engine/shapes';
import { type FlameArrays, FlameBoxes } from '../../canvas/flame_boxes';

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
