// Describes parts of the filter and transforms in plain words, for their chips. Unknown text is shown unchanged.
import { shortName } from '../format/names';
import { unquoted } from '../format/quoting';

const QUOTED = '"(?:[^"]|"")*"';

type Rule = readonly [pattern: RegExp, words: (found: readonly string[]) => string];

const rule = (pattern: string, words: Rule[1]): Rule => [new RegExp(`^${pattern.replaceAll('Q', `(${QUOTED})`)}$`), words];

const FILTER_RULES: readonly Rule[] = [
  rule('thread = Q', ([name]) => `thread ${plain(name)}`),
  rule('thread ~ Q', ([name]) => `threads matching ${plain(name)}`),
  rule('thread = (#\\d+)', ([row]) => `thread ${row}`),
  rule('pool is Q', ([name]) => `pool ${plain(name)}`),
  rule('pool is (#\\d+)', ([row]) => `pool of thread ${row}`),
  rule('time in (\\S+)\\.\\.(\\S+)', ([from, to]) => `time ${short(from)} to ${short(to)}`),
  rule('time in (\\S+)\\.\\.', ([from]) => `time from ${short(from)}`),
  rule('time in \\.\\.(\\S+)', ([to]) => `time before ${short(to)}`),
  rule('stack has Q', ([name]) => `stacks with ${shortName(plain(name))}`),
  rule('not stack has Q', ([name]) => `stacks without ${shortName(plain(name))}`),
  rule('stack has (package|binary) Q', ([what, name]) => `stacks with ${what} ${plain(name)}`),
  rule('not stack has (package|binary) Q', ([what, name]) => `stacks without ${what} ${plain(name)}`),
  rule('stack has fragment Q', ([name]) => `stacks with ${plain(name).split(' > ').map(shortName).join(' → ')}`),
  rule('leaf is Q', ([name]) => `ends in ${shortName(plain(name))}`),
  rule('leaf is (package|binary) Q', ([what, name]) => `ends in ${what} ${plain(name)}`),
  rule('mode is (\\w+)', ([mode]) => `in ${mode} mode`),
  rule('event is (\\w+)', ([event]) => `events: ${(event ?? '').replaceAll('_', ' ')}`),
  rule('wait is (\\w+)', ([meaning]) => `waits: ${(meaning ?? '').replaceAll('_', ' ')}`),
  rule('code is (\\w+)', ([owner]) => `code: ${owner}`),
  rule('file is Q', ([name]) => `file or peer ${plain(name)}`),
  rule('request is Q', ([name]) => `request ${plain(name)}`),
  rule('request contains Q', ([part]) => `requests with ${plain(part)}`),
  rule('request_time > (\\S+)', ([length]) => `requests longer than ${short(length)}`),
  rule('class is Q', ([name]) => `objects of ${plain(name)}`),
  rule('reason is (\\w+)', ([reason]) => `blocked: ${(reason ?? '').replaceAll('_', ' ')}`),
];

const TRANSFORM_RULES: readonly Rule[] = [
  rule('focus Q', ([name]) => `only ${shortName(plain(name))} and its callees`),
  rule('focus (package|binary) Q', ([what, name]) => `only ${what} ${plain(name)} and its callees`),
  rule('merge Q', ([name]) => `${shortName(plain(name))} merged into its callers`),
  rule('merge (package|binary) Q', ([what, name]) => `${what} ${plain(name)} merged into its callers`),
  rule('hide Q', ([name]) => `stacks with ${shortName(plain(name))} hidden`),
  rule('hide (package|binary) Q', ([what, name]) => `stacks with ${what} ${plain(name)} hidden`),
  rule('collapse (package|binary) Q', ([what, name]) => `${what} ${plain(name)} as one frame`),
  rule('collapse recursion Q', ([name]) => `recursion of ${shortName(plain(name))} as one frame`),
  rule('collapse recursion', () => 'recursion as one frame'),
  rule('fold frameworks', () => 'framework frames as one frame'),
];

export function filterWords(part: string): string {
  return inWords(part, FILTER_RULES);
}

export function transformWords(line: string): string {
  return inWords(line, TRANSFORM_RULES);
}

/** Whether a text is a transform. Otherwise it is a filter. */
export function isTransform(text: string): boolean {
  return /^(focus|merge|hide|collapse|fold)\b/.test(text.trim());
}

function inWords(text: string, rules: readonly Rule[]): string {
  for (const [pattern, words] of rules) {
    const found = pattern.exec(text);
    if (found) return words(found.slice(1));
  }
  return text;
}

function plain(name: string | undefined): string {
  return unquoted(name ?? '') ?? name ?? '';
}

/** `1.234567891s` -> `1.235 s`: exact in the filter, readable on the chip. */
function short(time: string | undefined): string {
  const match = /^(\d+)(\.\d+)?([a-z]*)$/.exec(time ?? '');
  if (!match) return time ?? '';
  return `${match[1]}${(match[2] ?? '').slice(0, 4)} ${match[3] || 's'}`;
}
