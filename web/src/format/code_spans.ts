// Code spans in texts of the engine and of users: `text` between two backticks. There is no other markup.

export interface TextPart {
  text: string;
  isCode: boolean;
}

/** A text as parts. A backtick without a second one is text. */
export function codeParts(text: string): TextPart[] {
  const parts = text.split('`');
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('`'));
  return parts.map((part, index) => ({ text: part, isCode: index % 2 === 1 })).filter(({ text: part }) => part !== '');
}

/** The text for places without markup, such as tooltips. */
export function plainText(text: string): string {
  return codeParts(text)
    .map((part) => part.text)
    .join('');
}
