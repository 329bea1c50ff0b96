// Cost that moved between functions, as the engine's notes say it: open above the other notes.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { Notes } from '../shell/parts';
import { comparisonOf } from './use_comparison';
import { movedNotes } from './words';

/** The notes of an answer; in comparisons those on moved cost are read at once. */
export function ComparedNotes(props: { notes: readonly string[] | undefined }): JSX.Element {
  const app = useApp();
  const sorted = () => (comparisonOf(app) ? movedNotes(props.notes ?? []) : { moved: [], others: [...(props.notes ?? [])] });
  return (
    <>
      <Show when={sorted().moved.length > 0}>
        <section class="compare-moved" aria-label="Cost that moved">
          <h2>Cost that moved</h2>
          <ul>
            <For each={sorted().moved}>{(note) => <li>{note}</li>}</For>
          </ul>
        </section>
      </Show>
      <Notes notes={sorted().others} />
    </>
  );
}
