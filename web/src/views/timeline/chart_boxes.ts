// The boxes of a stack chart in the form of a flame graph, so that both are drawn by the same canvas. The functions are pure.
import { FlameBoxes } from '../../canvas/flame_boxes';
import type { TimeRange } from '../../canvas/time_axis';
import type { StackChartAnswer } from '../../engine/pictures';

/** The boxes of an answer. A box's value is its length in nanoseconds. */
export function chartBoxes({ header, arrays }: StackChartAnswer): FlameBoxes {
  const { node, row, start_ns, end_ns, kind, flags } = arrays;
  const length = header.to_ns - header.from_ns;
  const value = end_ns.map((end, box) => end - start_ns[box]!);
  const x = Float32Array.from(start_ns, (start) => (start - header.from_ns) / length);
  const width = Float32Array.from(value, (ns) => ns / length);
  return new FlameBoxes({ node, function: arrays.function, row, x, width, value, own: value, kind, flags }, header.names);
}

/** The time of a box. */
export function timeOfBox({ arrays }: StackChartAnswer, box: number): TimeRange {
  return { fromNs: arrays.start_ns[box]!, toNs: arrays.end_ns[box]! };
}
