import { expect, test } from 'vitest';
import type { TimeBreakdown } from '../../engine/answers';
import { breakdownBars } from './breakdown_bars';

const wait = (meaning: string, seconds: number, ratio: number) => ({
  meaning,
  words: `a ${meaning}`,
  duration_ns: seconds * 1e9,
  ratio,
});

const BREAKDOWN: TimeBreakdown = {
  column: { flavour: 'plain', metric: 'cpu', title: 'CPU', unit: 'nanoseconds', is_percent: false },
  total: 4e9,
  code: [
    { owner: 'own', words: 'own code', amount: 3e9, ratio: 0.75 },
    { owner: 'kernel', words: 'kernel', amount: 1e9, ratio: 0.25 },
  ],
  waits_ns: 10e9,
  waits: [wait('lock', 8, 0.8), wait('queue', 2, 0.2)],
  are_waits_counted: true,
  idle_ns: 20e9,
};
const STATE = { mode: 'user', filter: ['thread = "a"'] } as const;

test('each part has its share, its value and a link to its samples', () => {
  const [code, waits] = breakdownBars(BREAKDOWN, STATE, true);
  expect(code?.title).toBe('CPU by code');
  expect(code?.whole).toContain('100 % is 4');
  expect(code?.parts.map(({ title, ratio }) => [title, ratio])).toEqual([
    ['own code', 0.75],
    ['kernel', 0.25],
  ]);
  expect(code?.parts.map(({ change }) => [change.filter, change.mode, change.metric])).toEqual([
    [['thread = "a"', 'code is own'], 'user', null],
    [['thread = "a"', 'code is kernel'], 'machine', null],
  ]);
  expect(waits?.parts[0]?.change).toMatchObject({ view: 'functions', metric: 'off_cpu' });
  expect(waits?.parts[0]?.change.filter).toEqual(['thread = "a"', 'wait is lock']);
  expect(waits?.whole).toContain('counted by the kernel');
  expect(waits?.whole).toContain('Idle threads waited 20');
  const [, sampled] = breakdownBars({ ...BREAKDOWN, are_waits_counted: false }, STATE, true);
  expect(sampled?.whole).toContain('from samples');
  expect(new Set([...(code?.parts ?? []), ...(waits?.parts ?? [])].map((part) => part.colour)).size).toBe(4);
});

test('many reasons of waits become one part, and the shares still add up', () => {
  const waits = Array.from({ length: 10 }, (_, index) => wait(`reason${index}`, 1, 0.1));
  const [, bar] = breakdownBars({ ...BREAKDOWN, waits }, STATE, true);
  expect(bar?.parts.map(({ title }) => title).slice(4)).toEqual(['a reason4', '5 other reasons']);
  expect(bar?.parts.reduce((sum, { ratio }) => sum + ratio, 0)).toBeCloseTo(1);
});

test('bars without parts are left out, and waits without samples lead to the threads', () => {
  expect(breakdownBars({ ...BREAKDOWN, code: [], waits: [] }, STATE, true)).toEqual([]);
  expect(breakdownBars(BREAKDOWN, STATE, false)[1]?.parts[0]?.change).toEqual({ view: 'threads' });
});
