// The direction of a change, its size as one of seven steps, and its words. The functions are pure.
import { proportion } from '../format/compared';

/** Whether the size of a change is measured by its amount or by its ratio. */
export type ChangeBy = 'absolute' | 'proportional';

/** From -3 (much less than in the baseline) to 3 (much more). 0 is neutral. */
export type ChangeStep = -3 | -2 | -1 | 0 | 1 | 2 | 3;

/** The totals of both sides. Absolute changes are shares of the larger total. */
export interface Totals {
  readonly baseline: number;
  readonly candidate: number;
}

/** Shares of the larger total from which an absolute change has step 1, 2, 3. */
export const ABSOLUTE_STEPS = [0.005, 0.02, 0.08] as const;
/** Factors from which a proportional change has step 1, 2, 3. The factors are the same for increases and decreases. */
export const PROPORTIONAL_STEPS = [1.05, 1.25, 2] as const;

export function changeStep(baseline: number, candidate: number, by: ChangeBy, totals: Totals): ChangeStep {
  const delta = candidate - baseline;
  if (!Number.isFinite(delta) || delta === 0) return 0;
  const size = by === 'absolute' ? absoluteStep(delta, totals) : proportionalStep(baseline, candidate);
  return (delta > 0 ? size : -size) as ChangeStep;
}

function absoluteStep(delta: number, totals: Totals): number {
  const whole = Math.max(totals.baseline, totals.candidate);
  return whole > 0 ? stepsReached(Math.abs(delta) / whole, ABSOLUTE_STEPS) : 0;
}

function proportionalStep(baseline: number, candidate: number): number {
  const [less, more] = [Math.min(baseline, candidate), Math.max(baseline, candidate)];
  return less <= 0 ? PROPORTIONAL_STEPS.length : stepsReached(more / less, PROPORTIONAL_STEPS);
}

function stepsReached(value: number, steps: readonly number[]): number {
  return steps.filter((step) => value >= step).length;
}

/** The filled part of the bar of a change: -1 to 1. */
export function changeBar(baseline: number, candidate: number, by: ChangeBy, totals: Totals): number {
  if (by === 'absolute') {
    const whole = Math.max(totals.baseline, totals.candidate);
    return whole > 0 ? limited((candidate - baseline) / whole) : 0;
  }
  if (baseline <= 0 && candidate <= 0) return 0;
  if (baseline <= 0) return 1;
  // Half and double have the same distance from the middle. A change by a factor of four fills the bar.
  return candidate <= 0 ? -1 : limited(Math.log2(candidate / baseline) / 2);
}

function limited(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

/** The mark before a name, so that a change is visible without its colour. Empty for neutral changes. */
export function changeMark(baseline: number, candidate: number, step: ChangeStep): string {
  if (step === 0) return '';
  if (baseline <= 0) return '+ new';
  if (candidate <= 0) return '\u2212 removed';
  return proportion(baseline, candidate);
}

/** `new`: the function is only in the candidate; `removed`: it is only in the baseline. */
export function presence(baseline: number, candidate: number): 'new' | 'removed' | null {
  if (baseline <= 0 && candidate > 0) return 'new';
  return baseline > 0 && candidate <= 0 ? 'removed' : null;
}
