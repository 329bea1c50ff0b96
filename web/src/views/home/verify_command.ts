// The command line of `whittle verify` that measures the fix of a finding.
import { shellCommand } from '../../format/shell';

/** The text that replaces a secret in a stored command line. */
const REDACTED = '<redacted>';

export interface VerifyCommand {
  command: string;
  /** What the user must know before running the command, one sentence each. */
  notes: string[];
}

/** `program`: the command line that the experiment stores; empty: it stores none. */
export function verifyCommand(
  of: { program: readonly string[]; path: string; keepsProgram: boolean },
  detector: string,
): VerifyCommand {
  const finding = ['--finding', detector];
  if (of.program.length === 0) {
    const [old, changed] = ['java -jar old.jar', 'java -jar new.jar'];
    return {
      command: shellCommand(['whittle', 'verify', '--baseline', old, '--candidate', changed, ...finding]),
      notes: ['The experiment does not contain the command line. Replace both commands with those of your programs.'],
    };
  }
  const program = shellCommand(of.program);
  const baseline = of.keepsProgram ? ['--against', of.path] : ['--baseline', program];
  const notes = [
    of.keepsProgram
      ? 'The experiment keeps the old program. Build the changed program before you run the command.'
      : 'Both commands are the one of this experiment. Change the candidate to start the changed program.',
  ];
  if (of.program.some((word) => word.includes(REDACTED))) {
    notes.push(`The experiment does not contain secrets. Replace ${REDACTED} with the real values.`);
  }
  return { command: shellCommand(['whittle', 'verify', ...baseline, '--candidate', program, ...finding]), notes };
}
