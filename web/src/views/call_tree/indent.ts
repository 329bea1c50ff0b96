// The indentation of rows in the call tree. Deep rows have a number instead of more indentation, so that names stay on screen.

/** Pixels per level. */
const INDENT = 14;
/** The largest indentation, as a share of the column of names. */
const MOST_SHARE = 0.35;
/** Pixels of a row's marks before and behind the name, with the number of its level. */
export const NAME_SPACE = 84;

/** `isDeep`: the indentation does not show the level. */
export function indentOf(depth: number, nameWidth: number): { indent: number; isDeep: boolean } {
  const most = Math.max(Math.floor((nameWidth * MOST_SHARE) / INDENT), 2);
  return { indent: Math.min(depth, most) * INDENT, isDeep: depth > most };
}
