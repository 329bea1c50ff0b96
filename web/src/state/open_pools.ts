// The open pools of a view as a short text for the URL: the rows of their first threads in the table of threads, `4.120`.

const MARK = '.';

/** Invalid parts are left out. */
export function openPools(text: string | undefined): number[] {
  const parts = (text ?? '').split(MARK).filter((part) => /^\d{1,9}$/.test(part));
  return parts.map(Number);
}

/** The text after one pool was opened or closed. */
export function withPoolToggled(text: string | undefined, pool: number): string {
  const open = openPools(text);
  return (open.includes(pool) ? open.filter((other) => other !== pool) : [...open, pool]).join(MARK);
}
