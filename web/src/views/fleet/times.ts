// Times of the fleet: how long ago, or times in UTC. The syntax is the same as on the command line. The functions are
// pure.

/** Time ranges that end now, as buttons. */
export const LATEST = [
  ['1h', '1 h', 'The last hour'],
  ['6h', '6 h', 'The last 6 hours'],
  ['24h', '24 h', 'The last 24 hours'],
  ['7d', '7 d', 'The last 7 days'],
] as const;

/** Seconds since 1970-01-01 UTC; the end is exclusive. */
export interface Span {
  readonly from_s: number;
  readonly to_s: number;
}

const UNIT_S: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?Z?$/;

/** `now`, how long ago (`30m`), or a day or a time in UTC; undefined for any other text. */
export function parseMoment(text: string, now_s: number): number | undefined {
  if (text === 'now') return now_s;
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  if (ago) return now_s - Number(ago[1]) * (UNIT_S[ago[2] ?? ''] ?? 1);
  const match = MOMENT.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Without this check, 2026-02-31 would become a day of March.
  const isSame =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute;
  return isSame && second < 60 ? date.getTime() / 1000 : undefined;
}

/** The range between two times; undefined if one is not valid or the range is empty. */
export function spanOf(since: string, until: string, now_s: number): Span | undefined {
  const [from_s, to_s] = [parseMoment(since, now_s), parseMoment(until, now_s)];
  return from_s !== undefined && to_s !== undefined && from_s < to_s ? { from_s, to_s } : undefined;
}

/** `2026-11-22 14:30`, and the seconds if they are not 0. People read and type this form. */
export function momentWords(moment_s: number): string {
  const text = new Date(moment_s * 1000).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, moment_s % 60 === 0 ? 16 : 19)}`;
}

/** `2026-11-22T14:30:05`, for requests and addresses. */
export function momentOf(moment_s: number): string {
  return momentWords(moment_s).replace(' ', 'T');
}

/** `14:30`, or `11-22` at midnight: for marks below a chart. */
export function markWords(moment_s: number): string {
  const text = new Date(moment_s * 1000).toISOString();
  return moment_s % UNIT_S.d! === 0 ? text.slice(5, 10) : text.slice(11, 16);
}

/** Longest time range in seconds, and the length of its periods. The rollup answers only whole hours. */
const PERIODS: readonly (readonly [longest_s: number, every: string, every_s: number])[] = [
  [1200, '1m', 60],
  [3660, '5m', 300],
  [3 * 3600, '10m', 600],
  [6 * 3600 + 60, '30m', 1800],
  [30 * 3600, '1h', 3600],
  [4 * 86_400, '3h', 10_800],
  [10 * 86_400, '6h', 21_600],
  [40 * 86_400, '24h', 86_400],
];
const LONGEST_PERIOD = ['7d', 604_800] as const;

/** The length of a chart's periods, so that the time range has about 12 to 40 of them. */
export function periodOf({ from_s, to_s }: Span): { every: string; every_s: number } {
  const found = PERIODS.find(([longest_s]) => to_s - from_s <= longest_s);
  const [every, every_s] = found ? [found[1], found[2]] : LONGEST_PERIOD;
  return { every, every_s };
}
