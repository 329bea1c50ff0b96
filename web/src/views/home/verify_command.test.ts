import { expect, test } from 'vitest';
import { verifyCommand } from './verify_command';

const JAVA = ['java', '-cp', 'lib/*', 'a.Main', '--name', 'two words'];

test('both sides run the command of the experiment', () => {
  const { command, notes } = verifyCommand({ program: JAVA, path: '/x/a.whittle', keepsProgram: false }, 'boxing');
  const program = `"java -cp 'lib/*' a.Main --name 'two words'"`;
  expect(command).toBe(`whittle verify --baseline ${program} --candidate ${program} --finding boxing`);
  expect(notes).toEqual([expect.stringContaining('Change the candidate')]);
});

test('a kept program is the baseline', () => {
  const { command, notes } = verifyCommand(
    { program: ['java', 'a.Main'], path: '/my runs/a.whittle', keepsProgram: true },
    'boxing',
  );
  expect(command).toBe("whittle verify --against '/my runs/a.whittle' --candidate 'java a.Main' --finding boxing");
  expect(notes).toEqual([expect.stringContaining('keeps the old program')]);
});

test('missing secrets and a missing command line are reported', () => {
  const secret = verifyCommand({ program: ['java', '-Dpassword=<redacted>', 'a.Main'], path: '', keepsProgram: false }, 'boxing');
  expect(secret.command).toContain("-Dpassword=<redacted>'");
  expect(secret.notes.at(-1)).toContain('Replace <redacted>');
  const unknown = verifyCommand({ program: [], path: '', keepsProgram: false }, 'boxing');
  expect(unknown.command).toBe("whittle verify --baseline 'java -jar old.jar' --candidate 'java -jar new.jar' --finding boxing");
  expect(unknown.notes[0]).toContain('does not contain the command line');
});
