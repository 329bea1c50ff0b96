// Shortens names of functions to the available space. It shortens packages, but never the method's name.

/** A name in parts, so that a view can make the less important parts paler. */
export interface NameParts {
  /** `java.io.`; empty if there is no package. */
  package: string;
  /** `FileOutputStream.write`; for native functions, the whole name. */
  name: string;
  /** `(int, boolean)`; empty if there is no signature. */
  signature: string;
}

const JAVA_NAME = /^((?:[\p{Ll}_][\p{L}\p{N}_$]*\.)+)([^()]+)(\(.*\))?$/u;

export function nameParts(name: string): NameParts {
  const match = JAVA_NAME.exec(name);
  if (!match || match[2]?.includes('::')) return splitSignature(name);
  // `a.b.c()` has no class, so the last lower-case name is the method's.
  return { package: match[1] ?? '', name: match[2] ?? name, signature: shortSignature(match[3] ?? '') };
}

function splitSignature(name: string): NameParts {
  const open = name.startsWith('<') ? -1 : name.indexOf('(');
  return open > 0
    ? { package: '', name: name.slice(0, open), signature: name.slice(open) }
    : { package: '', name, signature: '' };
}

/** `(java.io.InputStream, int)` -> `(InputStream, int)` */
function shortSignature(signature: string): string {
  return signature.replace(/(?:[\p{Ll}_][\p{L}\p{N}_]*\.)+(?=\p{Lu})/gu, '');
}

/** `FileOutputStream.write(int, boolean)`: without the package, and with short types. */
export function shortName(name: string): string {
  const parts = nameParts(name);
  return parts.name + parts.signature;
}

/** The package in at most `most` characters: `whittle.workloads.crc.slow.` becomes `w.w.crc.slow.`. */
export function shortPackage(name: string, most: number): string {
  const parts = name.split('.').filter((part) => part !== '');
  const length = () => parts.join('.').length + 1;
  for (let index = 0; index < parts.length - 1 && length() > most; index += 1) {
    parts[index] = (parts[index] ?? '').slice(0, 1);
  }
  return parts.length === 0 ? '' : `${parts.join('.')}.`;
}

/** Mean width of a letter of names in pixels. Only the choice of the package's letters depends on this estimate. */
const LETTER_PX = 6.6;

/** How many letters of the package fit in a width in pixels; 0 if the name alone is as wide. */
export function packageRoom({ package: found, name, signature }: NameParts, widthPx: number): number {
  const letters = Math.floor(widthPx / LETTER_PX);
  const initials = 2 * found.split('.').length;
  if (letters < name.length + initials) return 0;
  return Math.max(initials, letters - name.length - signature.length);
}

/** `java.io` of `java.io.FileOutputStream.write(int)`; undefined without a package. */
export function packageOf(name: string): string | undefined {
  const { package: found } = nameParts(name);
  return found === '' ? undefined : found.slice(0, -1);
}

/** Frames of frameworks that the engine folds, such as `<23 framework frames>`. They are no function. */
export function isFolded(name: string): boolean {
  return /^<\d+ framework frames( or more)?>$/.test(name);
}
