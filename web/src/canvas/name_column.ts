// The column of names at the left of a timeline: its width, and names that fit into it. The functions are pure: the caller
// measures texts.

/** The narrowest and the widest column that whittle chooses. The user can choose a wider one. */
const NARROWEST = 160;
const WIDEST = 360;
/** The column takes at most this share of the view, unless the user has chosen a width. */
const MOST_SHARE = 0.4;
/** Space around a name, for the button of the stack chart, and for a part of the button that opens a pool. */
export const NAME_SPACE = 56;
/** Share of a shortened name that is behind the "…". Names of threads differ most at their ends. */
const TAIL_SHARE = 0.6;

/** The width of the column for names of these widths. */
export function columnWidth(nameWidths: readonly number[], viewWidth: number): number {
  const longest = Math.ceil(Math.max(...nameWidths, 0)) + NAME_SPACE;
  return Math.floor(Math.min(Math.max(longest, NARROWEST), WIDEST, viewWidth * MOST_SHARE));
}

/** A width that the user chose, with space for a few letters of names and for the strips. */
export function chosenWidth(width: number, viewWidth: number): number {
  return Math.round(Math.max(Math.min(width, viewWidth - 120), 60));
}

/** A name that is at most `room` wide: `http-nio-8080-exec-17` becomes `http…exec-17`. */
export function middleCut(name: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(name) <= room) return name;
  const cut = (kept: number): string => {
    const tail = Math.ceil(kept * TAIL_SHARE);
    return `${name.slice(0, kept - tail)}…${name.slice(name.length - tail)}`;
  };
  let [fits, tooLong] = [1, name.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (widthOf(cut(middle)) <= room) fits = middle;
    else tooLong = middle;
  }
  return cut(fits);
}
