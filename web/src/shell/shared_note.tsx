// The note that came with a link, a command or a report file. It is text of another person, and shown only as text.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';

export function SharedNote(): JSX.Element {
  const app = useApp();
  return (
    <Show when={app.state.note}>
      <div class="shared-note" role="note">
        <strong>Note</strong>
        <p>{app.state.note}</p>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={() => app.navigate({ note: '' })}>
          ×
        </button>
      </div>
    </Show>
  );
}
