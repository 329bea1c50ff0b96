import { expect, test } from 'vitest';
import { commentStarts, pieces } from './highlight';

/** `keyword(public) plain( int)` ... */
const drawn = (line: string, beganInComment = false) =>
  pieces(line, beganInComment)
    .filter(({ text }) => text.trim() !== '')
    .map(({ kind, text }) => `${kind}(${text.trim()})`)
    .join(' ');

test.each([
  ['    return "a // b" + 0x1F; // why', 'keyword(return) string("a // b") plain(+) number(0x1F) plain(;) comment(// why)'],
  ['@Override', 'keyword(@Override)'],
  ["char c = '\\'';", "keyword(char) plain(c =) string('\\'') plain(;)"],
  ['int forest = x1; /* in */ y', 'keyword(int) plain(forest = x1;) comment(/* in */) plain(y)'],
  ['String s = "open', 'plain(String s =) string("open)'],
  ['', ''],
])('%j', (line, expected) => {
  expect(drawn(line)).toBe(expected);
});

test('the joined pieces of a line are the line', () => {
  for (const line of ['a "b" c', '/*', '*/ x /* y', "''''", 'é漢 @ /', '\t"\\', '1.5e3f//']) {
    for (const began of [false, true]) {
      expect(
        pieces(line, began)
          .map(({ text }) => text)
          .join(''),
      ).toBe(line);
    }
  }
});

test('comments continue over lines, and strings do not start comments', () => {
  const lines = [
    '/** text',
    ' * more',
    ' */ code();',
    'x = "/*";',
    'y(); /* a */ z(); /* b',
    'c */',
    '/*/',
    'still',
    '*/',
    '// /*',
    'end',
  ];
  expect(commentStarts(lines)).toEqual([false, true, true, false, false, true, false, true, true, false, false]);
  expect(drawn(' */ code();', true)).toBe('comment(*/) plain(code();)');
});
