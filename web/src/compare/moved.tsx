// Notes about cost that moved between functions, above the other notes.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { Notes } from '../parts/parts';
import { Words } from '../parts/words';
import { comparisonOf } from './use_comparison';
import { movedNotes } from './words';

/** The notes of an answer. In comparisons, the notes about moved cost are open. */
export function ComparedNotes(props: { notes: readonly string[] | undefined }): JSX.Element {
  const app = useApp();
  const sorted = () => (comparisonOf(app) ? movedNotes(props.notes ?? []) : { moved: [], others: [...(props.notes ?? [])] });
  return (
    <>
      <Show when={sorted().moved.length > 0}>
        <section class="compare-moved" aria-label="Moved cost">
          <h2>Moved cost</h2>
          <ul>
            <For each={sorted().moved}>
              {(note) => (
                <li>
                  <Words of={note} />
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <Notes notes={sorted().others} />
    </>
  );
}
