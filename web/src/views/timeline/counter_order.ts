// Which counters are worth a line: those that change most come first, and those that are always 0 come last. The order is that of
// the whole run, so it does not change while the user zooms. The functions are pure.
import type { TimelineAnswer } from '../../engine/pictures';

/** A counter and how much it changes. */
export interface CounterUse {
  readonly name: string;
  /** The highest value minus the lowest value, as a share of the highest: 0 to 1. */
  readonly change: number;
  /** All values are 0 or missing. */
  readonly isZero: boolean;
}

/** Number of counters that are shown if the user has not chosen any. */
const MOST_SHOWN = 4;

/** The counters of an answer in the order of their use. */
export function byUse(answer: TimelineAnswer | undefined): readonly CounterUse[] {
  const values = answer?.arrays.counters ?? new Float32Array();
  const { counters = [], bins = 0 } = answer?.header ?? {};
  const uses = counters.map(({ name }, index) => ({ name, ...useOf(values.subarray(index * bins, (index + 1) * bins)) }));
  return uses.sort((a, b) => Number(a.isZero) - Number(b.isZero) || b.change - a.change);
}

function useOf(values: Float32Array): Omit<CounterUse, 'name'> {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  return { change: highest > 0 ? (highest - lowest) / highest : 0, isZero: highest === 0 };
}

/** The names of the counters that are shown at first. */
export function usualCounters(uses: readonly CounterUse[]): readonly string[] {
  return uses
    .filter((use) => !use.isZero)
    .map(({ name }) => name)
    .slice(0, MOST_SHOWN);
}
