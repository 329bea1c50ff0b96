// The indentation of rows in the call tree. Deep rows have a number instead of more indentation, so that names stay on screen.

/** Pixels per level. */
const INDENT = 14;
/** Levels that always have an indentation of their own, and the most levels that have one. */
const [FEWEST_LEVELS, MOST_LEVELS] = [3, 34];
/** The indentation leaves this width in pixels for the name. */
const NAME_ROOM = 400;
/** Pixels of a row's marks before and behind the name, with the number of its level. */
export const NAME_SPACE = 84;

/** `isDeep`: the indentation does not show the level. */
export function indentOf(depth: number, nameWidth: number): { indent: number; isDeep: boolean } {
  const most = Math.min(Math.max(Math.floor((nameWidth - NAME_ROOM) / INDENT), FEWEST_LEVELS), MOST_LEVELS);
  return { indent: Math.min(depth, most) * INDENT, isDeep: depth > most };
}
