// Names of functions as they fit: packages are shortened in the middle, the method's own name never.

/** A name in parts, so that a view can tone the less important ones down. */
export interface NameParts {
  /** `java.io.`; empty where there is none. */
  package: string;
  /** `FileOutputStream.write`, or the whole of a native name. */
  name: string;
  /** `(int, boolean)`; empty where there is none. */
  signature: string;
}

const JAVA_NAME = /^((?:[\p{Ll}_][\p{L}\p{N}_$]*\.)+)([^()]+)(\(.*\))?$/u;

export function nameParts(name: string): NameParts {
  const match = JAVA_NAME.exec(name);
  if (!match || match[2]?.includes('::')) return splitSignature(name);
  // `a.b.c()` without a class: the last small name is the method's.
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

/** `FileOutputStream.write(int, boolean)`: no package, short types. */
export function shortName(name: string): string {
  const parts = nameParts(name);
  return parts.name + parts.signature;
}

/** The package as one short text: `java.io.` stays, `whittle.workloads.crc.slow.` becomes `w.w.crc.slow.` if `most` is less. */
export function shortPackage(name: string, most: number): string {
  const parts = name.split('.').filter((part) => part !== '');
  const length = () => parts.join('.').length + 1;
  for (let index = 0; index < parts.length - 1 && length() > most; index += 1) {
    parts[index] = (parts[index] ?? '').slice(0, 1);
  }
  return parts.length === 0 ? '' : `${parts.join('.')}.`;
}

/** `java.io` of `java.io.FileOutputStream.write(int)`; undefined for what has no package. */
export function packageOf(name: string): string | undefined {
  const { package: found } = nameParts(name);
  return found === '' ? undefined : found.slice(0, -1);
}
