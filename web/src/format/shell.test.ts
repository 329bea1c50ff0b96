import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellCommand, shellWord } from './shell';

test('words without special characters need no quotes', () => {
  expect(shellCommand(['java', '-cp', 'a.jar:lib/b.jar', '-Dx=1', 'a.Main'])).toBe('java -cp a.jar:lib/b.jar -Dx=1 a.Main');
  expect(shellWord('lib/*')).toBe("'lib/*'");
  expect(shellWord('')).toBe("''");
  expect(shellWord("it's")).toBe('"it\'s"');
});

test('a shell reads the same words', () => {
  const words = ['a b', "it's", `'"$HOME\`!\\`, '#x', '~', '<redacted>', 'é漢', 'a\nb', "sh -c 'x; y'", '-', ''];
  const read = execFileSync('sh', ['-c', `printf '%s\\0' ${shellCommand(words)}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});
