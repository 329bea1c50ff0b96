// What the box for filters can complete: a field of the syntax, or the value that a field needs. Only the last condition of the
// text is completed, because the user types at its end.
import { quoted } from '../format/quoting';

/** Where names of values come from. */
export type Source = 'thread' | 'pool' | 'function' | 'package';

export interface Completion {
  /** The text before the completed part. */
  before: string;
  /** The completed part as typed, without quotes. */
  typed: string;
  /** The possible texts, if the syntax lists them. */
  words?: readonly string[];
  /** Names that the engine knows. They are inserted in quotes. */
  source?: Source;
}

/** One possible text. */
export interface Offer {
  /** The whole text of the box after the choice. */
  text: string;
  /** What the list shows. */
  title: string;
  /** True if the text still needs a value. */
  isOpen: boolean;
}

const FIELDS: readonly string[] = [
  'thread = ',
  'thread ~ ',
  'pool is ',
  'process is ',
  'time in ',
  'stack has ',
  'stack has package ',
  'stack has binary ',
  'leaf is ',
  'leaf is package ',
  'mode is ',
  'event is ',
  'reason is ',
  'wait is ',
  'code is ',
  'class is ',
  'file is ',
  'request is ',
  'request contains ',
  'request_time > ',
  'not ',
];

const VALUES: readonly (readonly [field: RegExp, offer: Pick<Completion, 'words' | 'source'>])[] = [
  [/\bthread\s*(?:=|is\b)\s*$/, { source: 'thread' }],
  [/\bpool is\s+$/, { source: 'pool' }],
  [/\b(?:stack has|leaf is) package\s+$/, { source: 'package' }],
  [/\b(?:stack has|leaf is)\s+$/, { source: 'function' }],
  [/\bmode is\s+$/, { words: ['user', 'system'] }],
  [/\bevent is\s+$/, { words: ['cpu', 'off_cpu', 'alloc', 'lock', 'wall', 'syscall', 'page_fault', 'java_sample'] }],
  [/\bcode is\s+$/, { words: ['own', 'library', 'jdk', 'native', 'jvm', 'gc', 'jit', 'kernel', 'unknown'] }],
  [/\breason is\s+$/, { words: ['futex', 'socket', 'pipe', 'poll', 'file', 'sleep', 'page_fault', 'other'] }],
  [
    /\bwait is\s+$/,
    {
      words: [
        'lock',
        'monitor',
        'queue',
        'result',
        'connection_pool',
        'idle',
        'sleep',
        'socket_read',
        'socket_write',
        'dns',
        'file',
      ],
    },
  ],
];

/** What can be completed at the end of the text; undefined if nothing can. */
export function completionOf(text: string): Completion | undefined {
  const before = text.replace(/"[^"]*$|[^\s"=~()]*$/, '');
  const typed = text.slice(before.length).replace(/^"/, '');
  // A quoted name is complete.
  if (typed === '' && text.endsWith('"') && !/(?:=|~|is|has|package)\s*"$/.test(text)) return undefined;
  const value = VALUES.find(([field]) => field.test(withoutQuotes(before)));
  if (value) return { before, typed, ...value[1] };
  // A field begins the text, or follows `and`, `or`, `not` or a parenthesis. It can have two words.
  const start = /(?:^|\band\s+|\bor\s+|\bnot\s+|\()\s*/g;
  let end = 0;
  for (const found of withoutQuotes(text).matchAll(start)) end = Math.max(end, found.index + found[0].length);
  const field = text.slice(end);
  return field === '' && end === 0 ? undefined : { before: text.slice(0, end), typed: field, words: FIELDS };
}

/** The offers that match what is typed. `names`: what the engine knows. */
export function offersOf(completion: Completion, names: readonly string[], most: number): Offer[] {
  const { before, typed, words } = completion;
  const wanted = typed.toLowerCase();
  if (words) {
    const fitting = words.filter((word) => word.startsWith(wanted) && word !== typed);
    return fitting.slice(0, most).map((word) => ({ text: before + word, title: word.trim(), isOpen: word.endsWith(' ') }));
  }
  const fitting = [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted));
  // Names that begin with the text come first. Otherwise, the order of the names stays.
  const isLate = (name: string) => Number(!name.toLowerCase().startsWith(wanted));
  fitting.sort((left, right) => isLate(left) - isLate(right));
  return fitting.slice(0, most).map((name) => ({ text: before + quoted(name), title: name, isOpen: false }));
}

/** Quoted texts with the same number of other letters, so that words in names are not read as syntax. */
function withoutQuotes(text: string): string {
  return text.replace(/"[^"]*"/g, (found) => `"${'x'.repeat(found.length - 2)}"`);
}
