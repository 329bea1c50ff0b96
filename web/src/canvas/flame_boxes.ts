// The boxes of one flame graph answer: typed arrays as the engine sent them, and where things are in them.
// In: the arrays and the header of a `flame-graph` answer. Out: boxes by place, by node and by row.
// No drawing, no rounding.

/** One element a box, sorted by row, then by x. */
export interface FlameArrays {
  /** The tree's node; in bottom-up graphs a number that is valid for this answer only. */
  readonly node: Uint32Array;
  /** The function's number; the header has its name. */
  readonly function: Uint32Array;
  /** Rows from the root, which is row 0. */
  readonly row: Uint32Array;
  /** Left edge, 0 to 1 of the graph's width. */
  readonly x: Float32Array;
  /** Width, 0 to 1 of the graph's width. */
  readonly width: Float32Array;
  /** Inclusive value in the metric's unit. */
  readonly value: Float64Array;
  /** Exclusive value in the metric's unit; in a joined box, how many siblings it stands for. */
  readonly own: Float64Array;
  /** How the code executed: a position in the theme's list of frame kinds. */
  readonly kind: Uint8Array;
  /** Bits of `BoxFlag`. */
  readonly flags: Uint8Array;
  /** In comparisons: inclusive value of each side. */
  readonly baseline?: Float64Array;
  readonly candidate?: Float64Array;
  /** The same, exclusive. */
  readonly own_baseline?: Float64Array;
  readonly own_candidate?: Float64Array;
}

/** Bits of a box's flags. */
export const BoxFlag = {
  /** The function's name matches the search. */
  matches: 1,
  /** Several siblings too narrow to draw. */
  joined: 2,
} as const;

/** A direction in which the focus moves from box to box. */
export type BoxStep = 'parent' | 'child' | 'previous' | 'next';

/** The boxes of one answer. */
export class FlameBoxes {
  readonly length: number;
  /** Smallest and largest row in the answer; equal if it is empty. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** Per row from `firstRow` on, the index of its first box; with one element more than rows. */
  private readonly starts: Uint32Array;

  constructor(
    readonly arrays: FlameArrays,
    private readonly names: Readonly<Record<string, string>>,
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

  /** The boxes of a row: the first, and one past the last. */
  rowRange(row: number): readonly [number, number] {
    if (row < this.firstRow || row > this.lastRow) return [0, 0];
    const at = row - this.firstRow;
    return [this.starts[at]!, this.starts[at + 1]!];
  }

  /** The box at a place, or missing. `x` is 0 to 1; boxes narrower than `tolerance` count as that wide. */
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
    return this.names[String(this.arrays.function[box])] ?? '?';
  }

  /** Position in the theme's list of frame kinds. */
  kind(box: number): number {
    return this.arrays.kind[box]!;
  }

  has(box: number, flag: number): boolean {
    return (this.arrays.flags[box]! & flag) !== 0;
  }

  /** The box of a node, or missing if it is not in this answer. */
  ofNode(node: number): number | undefined {
    const box = this.arrays.node.indexOf(node);
    return box < 0 ? undefined : box;
  }

  /** The box that a step from `box` leads to; `box` itself where there is none. */
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
