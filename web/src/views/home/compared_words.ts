// Words about the findings of both sides of a comparison.
import type { ComparedFinding, ComparedFindings, Comparison, FindingsView, Measure, SeenOnSide } from '../../engine/answers';
import { share } from '../../format/shares';

/** Whether an answer has the findings of both sides. */
export function isOfBothSides(answer: FindingsView | ComparedFindings): answer is ComparedFindings {
  return 'gone' in answer;
}

/** The lists with findings, each with its title. */
export function findingLists(of: ComparedFindings): { title: string; rows: readonly ComparedFinding[] }[] {
  const lists = [
    { title: 'Gone', rows: of.gone },
    { title: 'New', rows: of.new },
    { title: 'Same', rows: of.same },
    { title: 'Uncertain', rows: of.uncertain },
  ];
  return lists.filter(({ rows }) => rows.length > 0);
}

const MEASURES: Readonly<Record<Measure, string>> = {
  cpu: 'CPU time',
  elapsed: 'elapsed time',
  alloc_bytes: 'allocated bytes',
};

/** `84 % → not found, of the CPU time`; with several runs on a side `84 % in 2 of 3 runs → …`. */
export function sharesWords(row: ComparedFinding, comparison: Comparison): string {
  const baseline = sideWords(row.baseline, comparison.baseline.runs);
  const candidate = sideWords(row.candidate, comparison.candidate.runs);
  return `${baseline} → ${candidate}, of the ${MEASURES[row.measure]}`;
}

function sideWords(side: SeenOnSide | null, runs: number): string {
  if (side === null) return 'not found';
  return runs > 1 ? `${share(side.ratio)} in ${side.runs_count} of ${runs} runs` : share(side.ratio);
}

/** The place and the reason below a finding; empty if both are unknown. */
export function detailWords({ place, reason }: ComparedFinding): string {
  return [place, reason].filter((text) => text !== null).join(', ');
}
