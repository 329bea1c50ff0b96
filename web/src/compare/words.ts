// Texts of comparisons: the sides and the changes of a row. Texts of the engine are shown unchanged.
import type { Column, ComparedSide, Part, Unit, Values } from '../engine/answers';
import { columnValue } from '../format/columns';
import { change, proportion, quantity } from '../format/compared';
import { counted, readable, readableCount } from '../format/numbers';

/** The same column for another part: baseline, candidate, change or ratio. */
export function partOf(column: Column, part: Part): Column {
  return { ...column, part };
}

/** Both values of a column's metric. */
export function sidesOf(values: Values, column: Column): { baseline: number; candidate: number } {
  return {
    baseline: columnValue(values, partOf(column, 'baseline')),
    candidate: columnValue(values, partOf(column, 'candidate')),
  };
}

/** One column for each flavour and metric in the columns of a comparison. */
export function comparedMetricsOf(columns: readonly Column[]): Column[] {
  return columns.filter((column) => column.part === 'baseline');
}

/** `['Exclusive CPU', '3.21 µs → 2.90 µs (−310 ns, −9.7 %)']` for each flavour and metric. */
export function describeChanges(columns: readonly Column[], values: Values): [title: string, value: string][] {
  return comparedMetricsOf(columns).map((column) => {
    const { baseline, candidate } = sidesOf(values, column);
    return [flavoured(column), changeSentence(baseline, candidate, column.unit)];
  });
}

/** `3.21 µs → 2.90 µs (−310 ns, −9.7 %)` */
export function changeSentence(baseline: number, candidate: number, unit: Unit): string {
  const sides = `${quantity(baseline, unit)} → ${quantity(candidate, unit)}`;
  return baseline === candidate
    ? `${sides} (no change)`
    : `${sides} (${change(candidate - baseline, unit)}, ${proportion(baseline, candidate)})`;
}

function flavoured(column: Column): string {
  if (column.flavour === 'plain') return column.title;
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)} ${column.title}`;
}

/** The first of many runs, and the number of other runs. A tooltip shows all of them. */
export function shortSide({ name, runs }: ComparedSide): string {
  const [first = name] = name.split(', ');
  return runs > 2 && first !== name ? `${first} and ${runs - 1} more` : name;
}

/** `3 runs, 18.0 s, 2.41 million units` */
export function sideFacts(side: ComparedSide): string {
  const facts = [counted(side.runs, 'run'), readable(side.duration_ns, 'nanoseconds')];
  if (side.units !== null) facts.push(`${readableCount(side.units)} units of work`);
  return facts.join(', ');
}

/** Notes about cost that moved between functions, and the other notes. */
export function movedNotes(notes: readonly string[]): { moved: string[]; others: string[] } {
  const isMoved = (note: string) => /\bmoved\b/.test(note);
  return { moved: notes.filter(isMoved), others: notes.filter((note) => !isMoved(note)) };
}
