// The sides that the user can choose for a comparison, and the runs of a shown comparison. The functions are pure.
import type { ComparedNumbers, ExperimentName } from '../engine/engine';

/** Numbers and titles of the experiments that can be compared: no comparisons, and no experiments that still grow. */
export function comparable(experiments: readonly ExperimentName[]): (readonly [number: number, title: string])[] {
  const isKnown = ({ path }: ExperimentName) => path !== '';
  const isGrowing = ({ live, state }: ExperimentName) => typeof live === 'number' && state !== 'complete';
  const names = experiments.filter(isKnown).map(({ name }) => name);
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return experiments.flatMap((each, number) =>
    isKnown(each) && !isGrowing(each) ? [[number, isUnique(each.name) ? each.name : each.path] as const] : [],
  );
}

/**
 * The sides that are selected first: those of the shown comparison, otherwise the shown experiment and another one, in the order in
 * which they were opened. Null: there are not two experiments to compare.
 */
export function firstSides(experiments: readonly ExperimentName[], shown: number): ComparedNumbers | null {
  const sides = experiments[shown]?.sides;
  if (sides) return sides;
  const numbers = comparable(experiments).map(([number]) => number);
  const first = numbers.includes(shown) ? shown : numbers[0];
  const second = numbers.find((number) => number !== first);
  if (first === undefined || second === undefined) return null;
  return { baseline: [Math.min(first, second)], candidate: [Math.max(first, second)] };
}

export function swapped({ baseline, candidate }: ComparedNumbers): ComparedNumbers {
  return { baseline: candidate, candidate: baseline };
}

/** One run of a side. */
export interface ComparedRun {
  /** Number of its experiment. */
  readonly experiment: number;
  readonly side: 'Baseline' | 'Candidate';
  readonly name: string;
}

/** The runs of a comparison, those of the baseline first. Empty if its experiments are not open. */
export function runsOf(experiments: readonly ExperimentName[], comparison: number): ComparedRun[] {
  const sides = experiments[comparison]?.sides;
  if (!sides) return [];
  const runs = (side: ComparedRun['side'], numbers: readonly number[]) =>
    numbers.map((experiment) => ({ experiment, side, name: experiments[experiment]?.name ?? '' }));
  return [...runs('Baseline', sides.baseline), ...runs('Candidate', sides.candidate)];
}

/** The parts of a filter that do not select a side of a comparison. One experiment has no sides. */
export function withoutSides(filter: readonly string[]): string[] {
  return filter.filter((part) => !/\bside is\b/.test(part));
}
