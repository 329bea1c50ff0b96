// The program of a command line in a few words, for the title of the overview.

/** Options of java with a value in the next word. */
const WITH_VALUE = new Set(['-cp', '-classpath', '--class-path', '-p', '--module-path', '--add-modules']);

/** The main class or jar, or the program; undefined if there is no command. */
export function programOf(command: readonly string[]): string | undefined {
  const program = command[0]?.split('/').at(-1) ?? '';
  if (program !== 'java') return program || undefined;
  for (let index = 1; index < command.length; index += 1) {
    const word = command[index] ?? '';
    if (word === '-jar') return command[index + 1]?.split('/').at(-1) ?? program;
    if (word === '-m' || word === '--module') return command[index + 1] ?? program;
    if (WITH_VALUE.has(word)) index += 1;
    else if (!word.startsWith('-')) return word;
  }
  return program;
}
