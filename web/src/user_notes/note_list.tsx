// Lists of notes: those of a function, and the button that writes a note on a time range.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { UserNote } from '../engine/user_notes';
import { Words } from '../parts/words';
import { notesOfFunction, placeWords, showPlace } from './place';
import './user_notes.css';

/** Notes with a link to their place and a button to change them. */
export function NoteList(props: { notes: readonly UserNote[] }): JSX.Element {
  const app = useApp();
  return (
    <ul class="note-list">
      <For each={props.notes}>
        {(note) => (
          <li>
            <NotePlaceLink note={note} />
            <p class="note-text">
              <Words of={note.text} />
            </p>
            <button
              type="button"
              class="button small"
              aria-label={`Change the note on ${placeWords(note)}`}
              onClick={() => app.userNotes.write(note)}
            >
              Change …
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function NotePlaceLink(props: { note: UserNote }): JSX.Element {
  const app = useApp();
  return (
    <Show when={showPlace(props.note, app.state.filter)} fallback={<span class="dim">The experiment</span>}>
      {(place) => <a href={app.href(place())}>{placeWords(props.note)}</a>}
    </Show>
  );
}

/** The notes on a function, in its details. */
export function FunctionNotes(props: { name: string }): JSX.Element {
  const app = useApp();
  const notes = () => notesOfFunction(app.userNotes.notes(), props.name);
  return (
    <Show when={app.userNotes.isOffered()}>
      <section aria-label="User notes">
        <Show when={notes().length > 0}>
          <h2 class="note-heading">User notes</h2>
          <NoteList notes={notes()} />
        </Show>
        <button type="button" class="button" onClick={() => app.userNotes.write({ function: props.name, text: '' })}>
          Write a note
        </button>
      </section>
    </Show>
  );
}

export function RangeNoteButton(props: { range: { fromNs: number; toNs: number } }): JSX.Element {
  const app = useApp();
  return (
    <Show when={app.userNotes.isOffered()}>
      <button
        type="button"
        onClick={() => app.userNotes.write({ from_ns: props.range.fromNs, to_ns: props.range.toNs, text: '' })}
      >
        Write a note
      </button>
    </Show>
  );
}
