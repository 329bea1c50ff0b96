// The parts of the filter as chips. Joins them into one filter, and finds the part with the time range.
import { seconds } from '../format/numbers';
import { quoted } from '../format/quoting';

export interface TimeRange {
  from_ns: number;
  to_ns: number;
}

/** All parts as one text in the filter syntax; null without parts. */
export function joinedFilter(parts: readonly string[]): string | null {
  if (parts.length === 0) return null;
  if (parts.length === 1) return parts[0] ?? null;
  return parts.map((part) => (hasOr(part) ? `(${part})` : part)).join(' and ');
}

/** Finds the part that contains a position of the whole text, and the position in this part. Used for errors. */
export function partAt(parts: readonly string[], position: number): { index: number; position: number } {
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const opening = parts.length > 1 && hasOr(part) ? 1 : 0;
    const end = start + part.length + 2 * opening;
    if (position <= end || index === parts.length - 1) {
      return { index, position: Math.max(0, Math.min(part.length, position - start - opening)) };
    }
    start = end + ' and '.length;
  }
  return { index: 0, position };
}

/** `and` has higher precedence than `or`, so a part with `or` outside of quotes needs parentheses. */
function hasOr(part: string): boolean {
  return /\bor\b/.test(part.replace(/"[^"]*"?/g, '""'));
}

/** A function, with or without a signature, a package or a binary: the name of `stack has` and `leaf is`. */
const CODE = /^((?:not )?(?:stack has|leaf is)(?: package| binary)?) ([^\s"()~=>#]+(?:\([^()"]*\))?)$/;

/** `thread=worker` as `thread = "worker"`, the form that the page writes and finds again. Other parts stay as they are. */
export function inCanonicalForm(part: string): string {
  const [, has, code] = CODE.exec(part) ?? [];
  if (has !== undefined && code !== undefined && !/^(package|binary|fragment)$/.test(code)) return `${has} ${quoted(code)}`;
  const found = /^(thread) *(=|~) *([^\s"()~=>#]+)$|^(thread|pool|class|file|request) (is) ([^\s"()~=>#]+)$/.exec(part);
  if (!found) return part;
  const [, thread, sign, word, field, is, name] = found;
  return thread
    ? `${thread} ${sign} ${quoted(word ?? '')}`
    : `${field === 'thread' ? 'thread =' : `${field} ${is}`} ${quoted(name ?? '')}`;
}

/** A thread or a pool of threads in the engine's answers. */
export interface NamedThread {
  name: string;
  /** Row in the table of threads. For a pool: the row of its first thread. */
  row: number;
  /** False if another thread or pool of the experiment has the same name, even if it is not loaded here. */
  hasOwnName: boolean;
  isPool: boolean;
}

/** The part that matches one thread or pool: by name if the name is unique, otherwise by number. */
export function threadPart(thread: NamedThread): string {
  const name = thread.hasOwnName ? quoted(thread.name) : `#${thread.row}`;
  return thread.isPool ? `pool is ${name}` : `thread = ${name}`;
}

/** The parts with this thread or pool as the only one; null: without a filter on threads and pools. */
export function withThread(parts: readonly string[], thread: NamedThread | null): string[] {
  const others = parts.filter((part) => !/^(thread =|pool is) (#\d+|"(?:[^"]|"")*")$/.test(part));
  return thread === null ? others : [...others, threadPart(thread)];
}

/** The parts with these requests as the only ones. `longerThan`: only the requests that took longer, in nanoseconds. */
export function withRequests(parts: readonly string[], name: string, longerThan: number | null): string[] {
  const others = parts.filter((part) => !/^request (is|contains) "(?:[^"]|"")*"$|^request_time > \S+$/.test(part));
  return [...others, `request is ${quoted(name)}`, ...(longerThan === null ? [] : [`request_time > ${seconds(longerThan)}`])];
}

const TIME = /^time in ([\d.]+)(s|ms|us|ns)?\.\.([\d.]+)(s|ms|us|ns)$/;
const IN_NS: Record<string, number> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/** The range of a part such as `time in 10s..20s`; null for any other part. */
export function timeRangeOf(part: string): TimeRange | null {
  const match = TIME.exec(part);
  if (!match) return null;
  const unit = (name: string | undefined) => IN_NS[name ?? match[4] ?? 's'] ?? 1e9;
  return {
    from_ns: Math.round(Number(match[1]) * unit(match[2])),
    to_ns: Math.round(Number(match[3]) * unit(match[4])),
  };
}

/** The parts with this time range instead of another one. */
export function withTimeRange(parts: readonly string[], range: TimeRange | null): string[] {
  const others = parts.filter((part) => timeRangeOf(part) === null);
  return range === null ? others : [...others, `time in ${seconds(range.from_ns)}..${seconds(range.to_ns)}`];
}
