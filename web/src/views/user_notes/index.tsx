// All notes of the user about the experiment.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { SideLinks } from '../../compare/side_links';
import { Toolbar } from '../../parts/parts';
import { NoteList } from '../../user_notes/note_list';
import type { ViewDefinition } from '../../view';

function UserNotesView(): JSX.Element {
  const app = useApp();
  const notes = () => app.userNotes.notes();
  return (
    <>
      <Toolbar title="User notes">
        <Show when={app.userNotes.isOffered()}>
          <button type="button" onClick={() => app.userNotes.write({ text: '' })}>
            Write a note on the experiment
          </button>
        </Show>
      </Toolbar>
      <div class="note-page">
        <Show
          when={app.userNotes.isOffered()}
          fallback={
            <>
              <p class="dim">Only an experiment on disk can have notes. Open one of the experiments to write a note.</p>
              <SideLinks />
            </>
          }
        >
          <Show when={app.userNotes.problem()}>{(problem) => <p class="note-problem">{problem()}</p>}</Show>
          <Show
            when={notes().length > 0}
            fallback={
              <p class="dim">
                There is no note. The menu of a function (m, then n) writes a note on the function. In the timeline, select a time
                range to write a note on it.
              </p>
            }
          >
            <NoteList notes={notes()} />
          </Show>
        </Show>
      </div>
    </>
  );
}

export const view: ViewDefinition = {
  name: 'user-notes',
  title: 'User notes',
  question: 'What did users write about this experiment?',
  key: 'n',
  order: 15,
  group: 'start',
  component: UserNotesView,
};
