// The dialog that writes, changes or deletes a note.
import { createSignal, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { NoteChange } from '../engine/user_notes';
import { closeDialogOf, Dialog } from '../parts/dialog';
import { placeWords } from './place';
import type { NoteDraft } from './store';
import './user_notes.css';

/** The limit of the program, in characters. */
const MAX_TEXT_CHARS = 2000;

export function NoteDialog(): JSX.Element {
  const app = useApp();
  return (
    <Show when={app.userNotes.draft()} keyed>
      {(draft) => (
        <Dialog title={`Note on ${placeWords(draft)}`} class="note-dialog" onClose={() => app.userNotes.write(null)}>
          <NoteForm draft={draft} />
        </Dialog>
      )}
    </Show>
  );
}

function NoteForm(props: { draft: NoteDraft }): JSX.Element {
  const app = useApp();
  const [text, setText] = createSignal(props.draft.text);
  const [problem, setProblem] = createSignal('');
  const apply = async (element: Element, change: NoteChange, done: string) => {
    try {
      await app.userNotes.change(change);
      closeDialogOf(element);
      app.say(done);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const save = (element: Element) => {
    const { id, ...place } = props.draft;
    const change: NoteChange =
      id === undefined ? { ...place, change: 'add', text: text() } : { change: 'edit', id, text: text() };
    return apply(element, change, 'The note was saved');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      <label>
        Text
        <textarea
          rows={6}
          maxLength={MAX_TEXT_CHARS}
          autofocus
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="dim">The experiment keeps the note in its file notes.json.</p>
      <Show when={problem()}>
        <p class="note-problem" role="alert">
          {problem()}
        </p>
      </Show>
      <div class="note-buttons">
        <button type="submit" class="button main" disabled={text().trim() === ''}>
          Save
        </button>
        <button type="button" class="button" onClick={(event) => closeDialogOf(event.currentTarget)}>
          Cancel
        </button>
        <Show when={props.draft.id}>
          {(id) => (
            <button
              type="button"
              class="button"
              onClick={(event) => void apply(event.currentTarget, { change: 'delete', id: id() }, 'The note was deleted')}
            >
              Delete
            </button>
          )}
        </Show>
      </div>
    </form>
  );
}
