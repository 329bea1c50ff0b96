// Texts as words of a POSIX shell's command line. Whittle splits the commands of `whittle verify` by the same rules.

const PLAIN = /^[A-Za-z0-9_\-./:=@%+,]+$/;
/** These have a meaning between double quotes. */
const MEANT_IN_DOUBLE_QUOTES = /[$`"\\!]/;

/** The text as one word: `'a b'`, `"it's"`. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text.includes("'") && !MEANT_IN_DOUBLE_QUOTES.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
