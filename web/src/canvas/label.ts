// Function names cut to the room there is. Pure: characters in, characters out.

/** Fewest characters that still tell something. */
const SHORTEST = 3;

/**
 * A function's name in at most `room` characters: whole, else without parameters' packages, package, parameters and
 * class, in that order, else cut. Empty if not even a few characters fit.
 *
 *     java.io.FileOutputStream.write(byte[],int,int)
 *     FileOutputStream.write(byte[],int,int)
 *     FileOutputStream.write
 *     write
 *     wri…
 */
export function fitLabel(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < SHORTEST) return '';
  for (const shorter of shorterNames(name)) if (shorter.length <= room) return shorter;
  const last = shorterNames(name).at(-1) ?? name;
  return last.slice(0, room - 1) + '…';
}

/** Forms of a name from long to short. */
function shorterNames(name: string): string[] {
  const open = name.startsWith('<') ? -1 : name.indexOf('(');
  const path = open < 0 ? name : name.slice(0, open);
  const parameters = open < 0 ? '' : name.slice(open);
  const isJava = /^[\w$]+(\.[\w$<>/+-]+)+$/.test(path);
  if (!isJava) return open > 0 ? [path] : [];
  const parts = path.split('.');
  const method = parts.at(-1)!;
  const withClass = parts.slice(-2).join('.');
  const plain = parameters.replace(/[\w$]+\./g, '');
  return [path + plain, withClass + plain, withClass, method];
}
