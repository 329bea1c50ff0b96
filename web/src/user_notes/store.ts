// The user's notes about the shown experiment, and the note that the user is writing.
import { type Accessor, createResource, createSignal } from 'solid-js';
import type { Engine } from '../engine/engine';
import type { NoteChange, NotePlace, UserNote } from '../engine/user_notes';

/** The note in the dialog. A new note has no `id`, and its text is empty. */
export type NoteDraft = NotePlace & { id?: number; text: string };

export interface UserNotes {
  /** In the order in which they were added. Empty: there are no notes, or they are not known yet. */
  notes: Accessor<readonly UserNote[]>;
  /** Why the notes cannot be read; undefined if there is no problem. */
  problem: Accessor<string | undefined>;
  /** Whether the shown experiment can have notes. A comparison and a fleet have none. */
  isOffered: Accessor<boolean>;
  /** Changes the notes in the experiment. Rejects with the reason, for example if the experiment is read-only. */
  change(change: NoteChange): Promise<void>;
  /** The note in the dialog; null: the dialog is closed. */
  draft: Accessor<NoteDraft | null>;
  /** Opens the dialog, or closes it. */
  write(draft: NoteDraft | null): void;
}

/** `experiment`: the number of the shown experiment; null: it can have no notes. */
export function createUserNotes(engine: Engine, experiment: () => number | null): UserNotes {
  const [draft, write] = createSignal<NoteDraft | null>(null);
  const [problem, setProblem] = createSignal<string>();
  const read = async (number: number): Promise<readonly UserNote[]> => {
    setProblem(undefined);
    try {
      return (await engine.notes?.(number)) ?? [];
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return [];
    }
  };
  // The number 0 is an experiment, and a resource does not read a source that is falsy.
  const [notes, { mutate }] = createResource(
    () => {
      const number = experiment();
      return number === null ? null : { number };
    },
    ({ number }) => read(number),
  );
  return {
    notes: () => (experiment() === null ? [] : (notes() ?? [])),
    problem,
    isOffered: () => experiment() !== null,
    async change(change) {
      const number = experiment();
      if (number === null || !engine.changeNotes) return;
      const changed = await engine.changeNotes(number, change);
      if (experiment() === number) mutate(changed);
    },
    draft,
    write,
  };
}
