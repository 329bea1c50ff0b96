// The user's notes on times, as marks in a row above the threads. Without such notes, there is no row.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { TimeAxis } from '../../canvas/time_axis';
import { notesWithin, placeWords } from '../../user_notes/place';
import './note_marks.css';

export function NoteMarks(props: { readonly axis: TimeAxis }): JSX.Element {
  const app = useApp();
  const marks = createMemo(() => notesWithin(app.userNotes.notes(), props.axis));
  return (
    <Show when={marks().length > 0}>
      <div class="activity note-marks">
        <span class="activity-name">User notes</span>
        <div class="note-marks-axis" style={{ width: `${props.axis.width}px` }}>
          <For each={marks()}>
            {({ note, startRatio, endRatio }) => (
              <button
                type="button"
                class="note-mark"
                title={note.text}
                aria-label={`Note on ${placeWords(note)}: ${note.text}`}
                style={{ left: `${startRatio * 100}%`, width: `${(endRatio - startRatio) * 100}%` }}
                onClick={() => app.userNotes.write(note)}
              />
            )}
          </For>
        </div>
      </div>
    </Show>
  );
}
