// What notes are about, in words, and the notes of a place.
import type { NotePlace, UserNote } from '../engine/user_notes';
import { seconds } from '../format/numbers';
import type { StateChange } from '../state/change';
import { withTimeRange } from '../state/filter_parts';

export interface NoteTimes {
  fromNs: number;
  toNs: number;
}

/** The time range of a note; null if it has none. */
export function timesOf({ from_ns, to_ns }: NotePlace): NoteTimes | null {
  return from_ns === undefined || to_ns === undefined ? null : { fromNs: from_ns, toNs: to_ns };
}

/** `app.Log.flush(), 1.5s to 2s`; `the experiment` without a function and a time range. */
export function placeWords(place: NotePlace): string {
  const times = timesOf(place);
  const words = [place.function, times && `${seconds(times.fromNs)} to ${seconds(times.toNs)}`].filter((each) => each);
  return words.length === 0 ? 'the experiment' : words.join(', ');
}

export function notesOfFunction(notes: readonly UserNote[], name: string): UserNote[] {
  return notes.filter((note) => note.function === name);
}

/** The view that shows the place of a note; null: the note is about the whole experiment. */
export function showPlace(place: NotePlace, filter: readonly string[]): StateChange | null {
  const times = timesOf(place);
  const timed = times === null ? {} : { filter: withTimeRange(filter, { from_ns: times.fromNs, to_ns: times.toNs }) };
  if (place.function !== undefined) return { view: 'function', selected: place.function, ...timed };
  return times === null ? null : { view: 'timeline', ...timed };
}

/** Notes with a time that is partly within a range, and the positions of their marks from 0 to 1. */
export function notesWithin(
  notes: readonly UserNote[],
  range: NoteTimes,
): { note: UserNote; startRatio: number; endRatio: number }[] {
  const length = range.toNs - range.fromNs;
  return notes.flatMap((note) => {
    const times = timesOf(note);
    if (times === null || length <= 0 || times.toNs < range.fromNs || times.fromNs > range.toNs) return [];
    const ratio = (timeNs: number) => Math.min(Math.max((timeNs - range.fromNs) / length, 0), 1);
    return [{ note, startRatio: ratio(times.fromNs), endRatio: ratio(times.toNs) }];
  });
}
