import { expect, test } from 'vitest';
import { programOf } from './program';

test.each([
  [['java', '-cp', 'a.jar:lib/*', '-Xmx1g', 'a.b.Main', '--seconds', '10'], 'a.b.Main'],
  [['/usr/bin/java', '-Dx=y', '-jar', '/opt/shop/shop-1.4.jar', 'run'], 'shop-1.4.jar'],
  [['java', '--module-path', 'mods', '-m', 'shop/a.Main'], 'shop/a.Main'],
  [['/usr/local/bin/postgres', '-D', '/data'], 'postgres'],
  [['java'], 'java'],
  [[], undefined],
])('%j runs %j', (command, program) => {
  expect(programOf(command)).toBe(program);
});
