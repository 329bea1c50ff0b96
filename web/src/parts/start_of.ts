// The function with which views about one function start.
import type { ComparisonView, OverviewView } from '../engine/answers';

/** The hottest function of the program's own code. If it is unknown, the first of the top functions that is code. */
export function startOf(answer: OverviewView | ComparisonView | undefined): string | null {
  const own = answer && 'hottest_own_function' in answer ? answer.hottest_own_function : undefined;
  return own ?? answer?.top_functions.find((row) => row.kind !== 'pseudo' && !row.function.startsWith('<'))?.function ?? null;
}
