// The boxes of one flame graph answer. Input: the typed arrays and the header of a `flame-graph` answer. Output: boxes
// by place, by node and by row. This code does not draw or round.

import type { FlameArrays } from '../engine/pictures';

/** The bits of a box's flags. */
export const BoxFlag = {
  /** The function's name matches the search. */
  matches: 1,
  /** Several siblings that are too narrow to draw. */
  joined: 2,
  /** The thread only waited. Only stack charts have this flag. */
  waits: 4,
} as const;

/** A direction in which the focus moves from box to box. */
export type BoxStep = 'parent' | 'child' | 'previous' | 'next';

/** The boxes of one answer. */
export class FlameBoxes {
  readonly length: number;
  /** Smallest and largest row in the answer; equal if it is empty. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** The index of the first box of each row, starting with `firstRow`. One more element marks the end. */
  private readonly starts: Uint32Array;

  constructor(
    readonly arrays: FlameArrays,
    private readonly names: Readonly<Record<number, string>>,
  ) {
    const { row } = arrays;
    this.length = row.length;
    this.firstRow = this.length > 0 ? row[0]! : 0;
    this.lastRow = this.length > 0 ? row[this.length - 1]! : 0;
    this.starts = new Uint32Array(this.lastRow - this.firstRow + 2).fill(this.length);
    for (let box = this.length - 1; box >= 0; box--) this.starts[row[box]! - this.firstRow] = box;
    for (let at = this.starts.length - 2; at >= 0; at--) {
      this.starts[at] = Math.min(this.starts[at]!, this.starts[at + 1]!);
    }
  }

  /** The boxes of a row: the index of the first box, and one past the last box. */
  rowRange(row: number): readonly [number, number] {
    if (row < this.firstRow || row > this.lastRow) return [0, 0];
    const at = row - this.firstRow;
    return [this.starts[at]!, this.starts[at + 1]!];
  }

  /**
   * The box at a place; undefined if no box is there. `x` is 0 to 1. Boxes narrower than `tolerance` are treated as if
   * they had this width.
   */
  at(row: number, x: number, tolerance = 0): number | undefined {
    const [first, end] = this.rowRange(row);
    const { x: left, width } = this.arrays;
    let low = first;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (left[middle]! <= x) low = middle + 1;
      else high = middle;
    }
    const box = low - 1;
    if (box >= first && x < left[box]! + Math.max(width[box]!, tolerance)) return box;
    return undefined;
  }

  name(box: number): string {
    return this.names[this.arrays.function[box]!] ?? '?';
  }

  /** The box's position in the theme's list of frame kinds. */
  kind(box: number): number {
    return this.arrays.kind[box]!;
  }

  has(box: number, flag: number): boolean {
    return (this.arrays.flags[box]! & flag) !== 0;
  }

  /** The box of a node; undefined if the node is not in this answer. */
  ofNode(node: number): number | undefined {
    const box = this.arrays.node.indexOf(node);
    return box < 0 ? undefined : box;
  }

  /** The box one step from `box`; `box` itself if there is no such box. */
  step(box: number, step: BoxStep): number {
    const { row, x, width } = this.arrays;
    const [first, end] = this.rowRange(row[box]!);
    switch (step) {
      case 'previous':
        return box > first ? box - 1 : box;
      case 'next':
        return box + 1 < end ? box + 1 : box;
      case 'parent':
        return this.at(row[box]! - 1, x[box]! + width[box]! / 2) ?? box;
      case 'child':
        return this.widestChild(box) ?? box;
    }
  }

  private widestChild(box: number): number | undefined {
    const { row, x, width } = this.arrays;
    const [first, end] = this.rowRange(row[box]! + 1);
    const right = x[box]! + width[box]!;
    let widest: number | undefined;
    for (let child = first; child < end; child++) {
      const middle = x[child]! + width[child]! / 2;
      if (middle < x[box]! || middle >= right) continue;
      if (widest === undefined || width[child]! > width[widest]!) widest = child;
    }
    return widest;
  }
}

/** A graph without a box. */
export const NO_BOXES = new FlameBoxes(
  {
    node: new Uint32Array(),
    function: new Uint32Array(),
    row: new Uint32Array(),
    x: new Float32Array(),
    width: new Float32Array(),
    value: new Float64Array(),
    own: new Float64Array(),
    kind: new Uint8Array(),
    flags: new Uint8Array(),
  },
  {},
);
