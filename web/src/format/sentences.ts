// Notes of answers as text.
import { plainText } from './code_spans';

/** `this is a note` and `another note` as `This is a note. Another note.` */
export function inSentences(notes: readonly string[] | undefined): string {
  return (notes ?? [])
    .map(plainText)
    .map((note) => `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`)
    .join(' ');
}
