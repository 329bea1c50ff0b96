// Colours of source text: comments, strings, keywords and numbers of Java, C and similar languages. This is no parser: unknown
// text stays plain.

export type PieceKind = 'plain' | 'comment' | 'string' | 'keyword' | 'number';

export interface Piece {
  kind: PieceKind;
  text: string;
}

const KEYWORDS = new Set(
  (
    'abstract assert auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum extends ' +
    'extern false final finally float for goto if implements import inline instanceof int interface long namespace native new noexcept ' +
    'null nullptr operator override package permits private protected public record return sealed short signed sizeof static strictfp ' +
    'struct super switch synchronized template this throw throws transient true try typedef typename union unsigned using var virtual ' +
    'void volatile while yield'
  ).split(' '),
);

const PIECE =
  /(\/\/.*$|\/\*.*?(?:\*\/|$))|("""|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(\b\d[\w.]*)|(@?[\p{L}_$][\p{L}\p{N}_$]*)/gu;

/** For each line, whether it begins inside a comment of an earlier line. */
export function commentStarts(lines: readonly string[]): boolean[] {
  let isInside = false;
  return lines.map((line) => {
    const began = isInside;
    isInside = endsInside(line, began);
    return began;
  });
}

function endsInside(line: string, began: boolean): boolean {
  const rest = began ? afterComment(line) : line;
  if (rest === undefined) return true;
  for (const [found] of rest.matchAll(PIECE)) {
    if (found.startsWith('/*') && !(found.length >= 4 && found.endsWith('*/'))) return true;
  }
  return false;
}

function afterComment(line: string): string | undefined {
  const end = line.indexOf('*/');
  return end < 0 ? undefined : line.slice(end + 2);
}

/** The pieces of one line. If the pieces are joined, the result is the line. */
export function pieces(line: string, beganInComment: boolean): Piece[] {
  const list: Piece[] = [];
  let at = 0;
  const put = (kind: PieceKind, end: number) => {
    if (end > at) list.push({ kind, text: line.slice(at, end) });
    at = Math.max(at, end);
  };
  if (beganInComment) put('comment', line.length - (afterComment(line) ?? '').length);
  const rest = at;
  for (const match of line.slice(rest).matchAll(PIECE)) {
    const kind = kindOf(match);
    if (kind === 'plain') continue;
    put('plain', rest + match.index);
    put(kind, rest + match.index + match[0].length);
  }
  put('plain', line.length);
  return list;
}

function kindOf([, comment, string, number, word]: RegExpExecArray): PieceKind {
  if (comment !== undefined) return 'comment';
  if (string !== undefined) return 'string';
  if (number !== undefined) return 'number';
  return word !== undefined && (KEYWORDS.has(word) || word.startsWith('@')) ? 'keyword' : 'plain';
}
