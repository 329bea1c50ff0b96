// Texts as the filter and transform languages quote them.

/** `"A.f(int)"`, with backslash before quotes and backslashes. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
