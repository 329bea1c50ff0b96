// System calls of a comparison as columns of both sides: counts and times become values like those of other tables.
import type { Column, Part, Values } from '../../engine/shapes';
import { fieldOf } from '../../format/columns';
import type { Calls, Syscalls } from './calls';

const PARTS: readonly Part[] = ['baseline', 'candidate', 'delta', 'ratio'];

/** What is compared of calls: field of `Calls`, title, unit, word of `sort`. */
const MEASURES = [
  ['calls_count', 'Calls', 'count', 'calls'],
  ['duration_ns', 'Time', 'nanoseconds', 'time'],
] as const;

export type ComparedCalls = { baseline?: Calls | null; candidate?: Calls | null };

export function callColumns(): Column[] {
  return MEASURES.flatMap(([metric, title, unit]) =>
    PARTS.map((part): Column => ({ flavour: 'plain', metric, title, unit, is_percent: false, part })),
  );
}

/** The values of a row, by the fields of `callColumns`. */
export function callValues(row: ComparedCalls): Values {
  const values: Record<string, number> = {};
  for (const column of callColumns()) {
    const side = column.part === 'baseline' ? row.baseline : column.part === 'candidate' ? row.candidate : undefined;
    const value = side?.[column.metric as keyof Calls];
    if (typeof value === 'number') values[fieldOf(column)] = value;
  }
  return values;
}

/** The word of `sort` for a column; rows are sorted by how much something changed, so only changes have one. */
export function callSort(column: Column): string | undefined {
  return column.part === 'delta' ? MEASURES.find(([metric]) => metric === column.metric)?.[3] : undefined;
}

export function isCompared(answer: Syscalls | undefined): boolean {
  return answer !== undefined && 'baseline' in answer.total;
}
