// The place of a function in words.

/** `Slow.java:5, app.jar`; undefined if nothing is known. */
export function placeWords(of: { file: string | null; line: number | null; loaded: string | null }): string | undefined {
  const line = of.file !== null && of.line !== null ? `:${of.line}` : '';
  const words = [of.file === null ? '' : `${of.file}${line}`, of.loaded ?? ''].filter((part) => part !== '');
  return words.length === 0 ? undefined : words.join(', ');
}
