// The user's notes, which `whittle view` keeps in the experiment. The types have the form of the program's JSON.

/** What a note is about. Without a function and a time range, it is about the whole experiment. */
export interface NotePlace {
  function?: string;
  /** Nanoseconds since the experiment's start. A note has both times, or none of them. */
  from_ns?: number;
  to_ns?: number;
}

export interface UserNote extends NotePlace {
  /** Identity of the note in its experiment. */
  id: number;
  /** The text as written. It is shown as text, never as markup. */
  text: string;
}

export type NoteChange =
  | ({ change: 'add'; text: string } & NotePlace)
  | { change: 'edit'; id: number; text: string }
  | { change: 'delete'; id: number };
