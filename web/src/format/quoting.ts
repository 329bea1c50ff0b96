// Texts in the quotes of the filter and transform syntax.

/** `"A.f(int)"`; a quote inside is doubled. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The text between quotes; undefined if the text is not in quotes. */
export function unquoted(text: string): string | undefined {
  return /^"(?:[^"]|"")*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : undefined;
}
