// Describes changes between versions in words. The functions are pure.
import type { ChangeRow, ChangeWord, Regressions } from '../../engine/fleet';
import { quantity } from '../../format/compared';
import { percent } from '../../format/numbers';

/**
 * The verdicts in the order of the page. Each verdict has a sign for readers who do not see the colour, and a style
 * class.
 */
export const CHANGE_WORDS: Readonly<Record<ChangeWord, { one: string; sign: string; verdict: '' | 'improved' | 'worse' }>> = {
  regressed: { one: 'regression', sign: '✗', verdict: 'worse' },
  improved: { one: 'improvement', sign: '✓', verdict: 'improved' },
  moved: { one: 'moved', sign: '⇄', verdict: '' },
  went_away: { one: 'went away', sign: '↩', verdict: '' },
  unchanged: { one: 'unchanged', sign: '=', verdict: '' },
  not_enough_power: { one: 'not enough power', sign: '?', verdict: '' },
};

export const ALL_WORDS = Object.keys(CHANGE_WORDS) as ChangeWord[];

/** `2 regressions`, `3 moved` */
export function countWords(word: ChangeWord, count: number): string {
  const { one } = CHANGE_WORDS[word];
  return `${count} ${one}${count !== 1 && (word === 'regressed' || word === 'improved') ? 's' : ''}`;
}

/** A share, or the cost of a unit of work. */
export function amountWords(value: number, { measure }: Pick<Regressions, 'measure'>): string {
  return measure === 'share' ? percent(value) : quantity(value, 'nanoseconds');
}

/** `99 %` for an error of 1 %. */
export function coverageWords({ question }: Pick<Regressions, 'question'>): string {
  return `${Number((100 - question.alpha_ratio * 100).toPrecision(4))} %`;
}

/** The two compared versions: the selected versions, otherwise the versions of the answer. */
export function pairOf(
  versions: readonly string[],
  answered: { from_version: string | null; to_version: string | null } | undefined,
  chosen: { from: string; to: string },
): readonly [from: string | null, to: string | null] {
  const known = (version: string) => (version !== '' && versions.includes(version) ? version : null);
  return [
    known(chosen.from) ?? answered?.from_version ?? versions.at(-2) ?? null,
    known(chosen.to) ?? answered?.to_version ?? versions.at(-1) ?? null,
  ];
}

/** Changes with this word; all changes if the word is empty. */
export function withWord(rows: readonly ChangeRow[], word: ChangeWord | ''): readonly ChangeRow[] {
  return word === '' ? rows : rows.filter((row) => row.word === word);
}
