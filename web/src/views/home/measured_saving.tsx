// The measured saving of a finding: a profile cannot show it, so the card has the command that measures it.
import { For, type JSX } from 'solid-js';
import { useApp } from '../../app';
import type { Finding } from '../../engine/answers';
import { copyText } from '../../parts/function_actions';
import { Words } from '../../parts/words';
import { verifyCommand } from './verify_command';

export function MeasuredSaving(props: { of: Finding }): JSX.Element {
  const app = useApp();
  const verify = () => {
    const listed = app.experiments()[app.state.experiment];
    return verifyCommand(
      { program: app.experiment()?.command ?? [], path: listed?.path ?? '', keepsProgram: listed?.keeps_program ?? false },
      props.of.detector,
    );
  };
  return (
    <>
      <span class="dim">not measured yet, run whittle verify</span>{' '}
      <button
        type="button"
        class="button small"
        aria-label={`Copy the command of whittle verify: ${props.of.title}`}
        onClick={() => void copyText(app, verify().command, 'The command')}
      >
        Copy command
      </button>
      <details class="finding-note dim">
        <summary>The command</summary>
        <code class="finding-code">{verify().command}</code>
        <For each={verify().notes}>
          {(note) => (
            <p>
              <Words of={note} />
            </p>
          )}
        </For>
      </details>
    </>
  );
}
