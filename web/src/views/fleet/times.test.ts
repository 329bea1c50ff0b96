import { describe, expect, test } from 'vitest';
import { markWords, momentOf, momentWords, parseMoment, periodOf, spanOf } from './times';

/** 2026-11-22 14:30:05 UTC */
const NOW_S = Date.UTC(2026, 10, 22, 14, 30, 5) / 1000;

describe('moments', () => {
  test.each([
    ['now', NOW_S],
    ['90s', NOW_S - 90],
    ['30m', NOW_S - 1800],
    ['24h', NOW_S - 86_400],
    ['7d', NOW_S - 604_800],
    ['2026-11-22', Date.UTC(2026, 10, 22) / 1000],
    ['2026-11-22T14:30', NOW_S - 5],
    ['2026-11-22 14:30', NOW_S - 5],
    ['2026-11-22T14:30:05Z', NOW_S],
    ['2024-02-29', Date.UTC(2024, 1, 29) / 1000],
    ['2026-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-11-22T24:00', undefined],
    ['2026-11-22T14:60', undefined],
    ['tomorrow', undefined],
    ['5w', undefined],
    ['', undefined],
  ])('%s', (text, moment_s) => {
    expect(parseMoment(text, NOW_S)).toBe(moment_s);
  });

  test('have a UTC form that can be read again', () => {
    expect(momentWords(NOW_S)).toBe('2026-11-22 14:30:05');
    expect(momentOf(NOW_S - 5)).toBe('2026-11-22T14:30');
    for (const moment_s of [NOW_S, NOW_S - 5, 0]) expect(parseMoment(momentOf(moment_s), 1)).toBe(moment_s);
    expect([markWords(NOW_S - 5), markWords(Date.UTC(2026, 10, 22) / 1000)]).toEqual(['14:30', '11-22']);
  });
});

test('a range begins before its end', () => {
  expect(spanOf('1h', 'now', NOW_S)).toEqual({ from_s: NOW_S - 3600, to_s: NOW_S });
  expect(spanOf('now', '1h', NOW_S)).toBeUndefined();
  expect(spanOf('1h', 'nonsense', NOW_S)).toBeUndefined();
});

test.each([
  ['10m', '1m', 10],
  ['1h', '5m', 12],
  ['6h', '30m', 12],
  ['24h', '1h', 24],
  ['7d', '6h', 28],
  ['30d', '24h', 30],
  ['365d', '7d', 53],
])('%s is cut by %s', (since, every, count) => {
  const span = spanOf(since, 'now', NOW_S)!;
  const period = periodOf(span);
  expect(period.every).toBe(every);
  expect(Math.ceil((span.to_s - span.from_s) / period.every_s)).toBe(count);
  expect(parseMoment(every, NOW_S)).toBe(NOW_S - period.every_s);
});
