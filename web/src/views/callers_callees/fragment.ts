// Changes the centre. Frames are added and removed only at its ends, because the frames call each other directly.

export type End = 'callers' | 'callees';

export function centred(name: string): string[] {
  return name === '<Total>' || name === '' ? [] : [name];
}

/** A caller goes before the outermost frame, a callee after the innermost. */
export function added(fragment: readonly string[], name: string, end: End): string[] {
  return end === 'callers' ? [name, ...fragment] : [...fragment, name];
}

export function removed(fragment: readonly string[], end: End): string[] {
  return end === 'callers' ? fragment.slice(1) : fragment.slice(0, -1);
}
