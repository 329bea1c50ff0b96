// The answers that are mostly arrays: flame graphs, timelines with their lanes, heat maps and stack charts.
import type { BinaryAnswer } from './answer';
import type { FlameGraphView, HeatMapHeader, LanesHeader, StackChartView, TimelineHeader } from './answers';

/** One element per box, sorted by row, then by x. */
export interface FlameArrays {
  /** The number of the node in the tree. In bottom-up graphs, the number is valid for this answer only. */
  readonly node: Uint32Array;
  /** The function's number. The header contains the function's name. */
  readonly function: Uint32Array;
  /** Number of rows below the root. The root is row 0. */
  readonly row: Uint32Array;
  /** Left edge as a share of the graph's width, 0 to 1. */
  readonly x: Float32Array;
  /** Share of the graph's width, 0 to 1. */
  readonly width: Float32Array;
  /** Inclusive value in the metric's unit. */
  readonly value: Float64Array;
  /** Exclusive value in the metric's unit; in a joined box, the number of joined siblings. */
  readonly own: Float64Array;
  /** How the code executed: a position in the theme's list of frame kinds. */
  readonly kind: Uint8Array;
  /** Bits of `BoxFlag`. */
  readonly flags: Uint8Array;
  /** In comparisons: inclusive value of each side. */
  readonly baseline?: Float64Array;
  readonly candidate?: Float64Array;
  /** In comparisons: exclusive value of each side. */
  readonly own_baseline?: Float64Array;
  readonly own_candidate?: Float64Array;
}

export type FlameAnswer = BinaryAnswer<FlameGraphView, FlameArrays>;

/**
 * Order of `ns`: thread by thread, state by state, bin by bin. Order of `activity`: state by state, bin by bin. Order of `counters`: counter by counter, bin by bin.
 */
export interface TimelineArrays {
  /** Nanoseconds in a state. */
  ns: Float32Array;
  /** Nanoseconds in a state, the sum over all threads. */
  activity?: Float32Array;
  counters?: Float32Array;
}

export type TimelineAnswer = BinaryAnswer<TimelineHeader, TimelineArrays>;

/** One element per bin. */
export interface LanesArrays {
  /** The share of the bin in which the JVM had stopped all threads. Empty without stops. */
  readonly stopped: Float32Array;
  /** The position of the bin's longest stop in the header's list; 2³² − 1: no stop. */
  readonly longest_stop: Uint32Array;
  /** The mean number of requests in progress. Empty without requests. */
  readonly in_progress: Float32Array;
  /** The position of the bin's longest request in the header's list; 2³² − 1: no request. */
  readonly longest_request: Uint32Array;
}

export type LanesAnswer = BinaryAnswer<LanesHeader, LanesArrays>;

/** One element per cell, in the order of time. */
export interface HeatMapArrays {
  readonly cells: Float64Array;
}

export type HeatMapAnswer = BinaryAnswer<HeatMapHeader, HeatMapArrays>;

/** One element per box, sorted by row, then by time. */
export interface StackChartArrays {
  readonly node: Uint32Array;
  /** The function's number. The header contains the function's name. */
  readonly function: Uint32Array;
  readonly row: Uint32Array;
  /** Nanoseconds since the experiment's start. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** How the code executed: a position in the theme's list of frame kinds. */
  readonly kind: Uint8Array;
  /** Bits of `BoxFlag`. */
  readonly flags: Uint8Array;
}

export type StackChartAnswer = BinaryAnswer<StackChartView, StackChartArrays>;

/** The answers with arrays, by the request's `view`. */
export interface BinaryAnswers {
  'flame-graph': FlameAnswer;
  'heat-map': HeatMapAnswer;
  lanes: LanesAnswer;
  'stack-chart': StackChartAnswer;
  timeline: TimelineAnswer;
}
