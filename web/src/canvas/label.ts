// Shortens function names to the available space. The functions are pure.
import { nameParts } from '../format/names';

/** A shorter text is not useful. */
const SHORTEST = 3;

/**
 * A function's name in at most `room` characters. Parts are left out in this order: the parameters' packages, the
 * package, the parameters, the class. Then the remaining text is cut. Empty if only a few characters fit.
 *
 *     java.io.FileOutputStream.write(java.lang.String,int)
 *     java.io.FileOutputStream.write(String,int)
 *     FileOutputStream.write(String,int)
 *     FileOutputStream.write
 *     write
 *     wri…
 */
export function fitLabel(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < SHORTEST) return '';
  const shorter = shorterNames(name);
  const fitting = shorter.find((form) => form.length <= room);
  return fitting ?? `${(shorter.at(-1) ?? name).slice(0, room - 1)}…`;
}

/** The forms of a name from long to short. */
function shorterNames(full: string): string[] {
  const { package: path, name, signature } = nameParts(full);
  const method = path === '' ? name : name.slice(name.lastIndexOf('.') + 1);
  return [path + name + signature, name + signature, name, method];
}
