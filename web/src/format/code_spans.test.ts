import { expect, test } from 'vitest';
import { codeParts, plainText } from './code_spans';

const parts = (text: string) => codeParts(text).map(({ text: part, isCode }) => (isCode ? `<${part}>` : part));

test('text between two backticks is code', () => {
  expect(codeParts('Wrap it in `new BufferedOutputStream(…)`.')).toEqual([
    { text: 'Wrap it in ', isCode: false },
    { text: 'new BufferedOutputStream(…)', isCode: true },
    { text: '.', isCode: false },
  ]);
  expect(parts('`whittle doctor` says why, `a`')).toEqual(['<whittle doctor>', ' says why, ', '<a>']);
  expect(parts('no code')).toEqual(['no code']);
});

test('a backtick without a second one is text', () => {
  expect(parts('`a` and don`t')).toEqual(['<a>', ' and don`t']);
  expect(parts('`')).toEqual(['`']);
});

test('places without markup show only the text', () => {
  expect(plainText('use `whittle doctor`')).toBe('use whittle doctor');
  expect(plainText('don`t')).toBe('don`t');
});
