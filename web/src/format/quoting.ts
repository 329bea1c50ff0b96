// Texts as the filter and transform languages quote them.

/** `"A.f(int)"`; a quote inside is written twice. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The text between quotes; undefined if it does not stand in quotes. */
export function unquoted(text: string): string | undefined {
  return /^"(?:[^"]|"")*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : undefined;
}
