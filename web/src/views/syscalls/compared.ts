// Shows system calls of a comparison as columns of both sides. Counts and times become values as in other tables.
import type {
  BothSides,
  Column,
  ComparedSyscallRow,
  ComparedSyscallsView,
  Part,
  SyscallRow,
  SyscallsView,
  Values,
} from '../../engine/answers';
import { fieldOf } from '../../format/columns';

/** The answer and its rows, with the values of one experiment or with those of both sides. */
export type AnySyscalls = SyscallsView | ComparedSyscallsView;
export type AnySyscallRow = SyscallRow | ComparedSyscallRow;

const PARTS: readonly Part[] = ['baseline', 'candidate', 'delta', 'ratio'];

/** The compared values of calls: field of `SyscallFigures`, title, unit, value of `sort`. */
const MEASURES = [
  ['calls_count', 'Calls', 'count', 'calls'],
  ['duration_ns', 'Time', 'nanoseconds', 'time'],
] as const;

export function callColumns(): Column[] {
  return MEASURES.flatMap((measure) => PARTS.map((part) => columnOf(measure, part)));
}

function columnOf([metric, title, unit]: (typeof MEASURES)[number], part: Part): Column {
  return { flavour: 'plain', metric, title, unit, is_percent: false, part };
}

/** The values of both sides, by the fields of `callColumns`. */
export function callValues(sides: BothSides): Values {
  const values: Record<string, number> = {};
  for (const measure of MEASURES) {
    const [metric] = measure;
    for (const part of ['baseline', 'candidate'] as const) {
      const side = sides[part];
      if (side !== null) values[fieldOf(columnOf(measure, part))] = side[metric];
    }
  }
  return values;
}

/** The value of `sort` for a column. Rows are sorted by their change, so only columns of changes have such a value. */
export function callSort(column: Column): string | undefined {
  return column.part === 'delta' ? MEASURES.find(([metric]) => metric === column.metric)?.[3] : undefined;
}

export function isCompared(answer: AnySyscalls): answer is ComparedSyscallsView {
  return 'baseline' in answer.total;
}

export function isComparedRow(row: AnySyscallRow): row is ComparedSyscallRow {
  return 'baseline' in row;
}
