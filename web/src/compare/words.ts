// Comparisons in words: what is compared, and a row's changes. Texts of the engine are passed on as they are.
import type { Column, ComparedSide, Comparison, Part, Values } from '../engine/shapes';
import { valueOf } from '../format/columns';
import { change, proportion, quantity } from '../format/compared';
import { counted, readable } from '../format/numbers';

/** The same column, another of its four values. */
export function partOf(column: Column, part: Part): Column {
  return { ...column, part };
}

/** Both values of a column's metric. */
export function sidesOf(values: Values, column: Column): { baseline: number; candidate: number } {
  return { baseline: valueOf(values, partOf(column, 'baseline')), candidate: valueOf(values, partOf(column, 'candidate')) };
}

/** One column for each flavour and metric of a comparison's columns. */
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
export function changeSentence(baseline: number, candidate: number, unit: string): string {
  const sides = `${quantity(baseline, unit)} → ${quantity(candidate, unit)}`;
  return baseline === candidate ? `${sides} (no change)` : `${sides} (${change(candidate - baseline, unit)}, ${proportion(baseline, candidate)})`;
}

function flavoured(column: Column): string {
  if (column.flavour === 'plain') return column.title;
  return `${column.flavour.slice(0, 1).toUpperCase()}${column.flavour.slice(1)} ${column.title}`;
}

/** Of many runs the first, and how many there are beside it; all of them show when it is pointed at. */
export function shortSide({ name, runs }: ComparedSide): string {
  const [first = name] = name.split(', ');
  return runs > 2 && first !== name ? `${first} and ${runs - 1} more` : name;
}

/** `3 runs, 18.0 s, 2.41 million units` */
export function sideFacts(side: ComparedSide): string {
  const facts = [counted(side.runs, 'run'), readable(side.duration_ns, 'nanoseconds')];
  if (side.units !== null) facts.push(`${quantity(side.units, 'count')} units of work`);
  return facts.join(', ');
}

/** `per message`: what every value is divided by. */
export function perWords({ per }: Comparison): string {
  if (per.words !== '') return per.words;
  return per.kind === 'cpu_second' ? 'per CPU-second' : per.kind === 'unit' ? 'per unit of work' : 'per second of elapsed time';
}

/** Notes that say that cost moved between functions, and the others. */
export function movedNotes(notes: readonly string[]): { moved: string[]; others: string[] } {
  const isMoved = (note: string) => /\bmoved\b/.test(note);
  return { moved: notes.filter(isMoved), others: notes.filter((note) => !isMoved(note)) };
}
