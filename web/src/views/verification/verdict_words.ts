// The words of verdicts.
import type { Verdict, Word } from '../../engine/verification';

const WORDS: Record<Word, string> = {
  improved: 'improved',
  worse: 'worse',
  changed: 'changed',
  no_relevant_change: 'no relevant change',
  inconclusive: 'inconclusive',
};

/** `improved, may be due to chance`. The word "inconclusive" needs no such addition. */
export function verdictWords({ word, is_looks_like }: Verdict): string {
  const words = WORDS[word] ?? word;
  return is_looks_like && word !== 'inconclusive' ? `${words}, may be due to chance` : words;
}
