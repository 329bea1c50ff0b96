import { expect, test } from 'vitest';
import type { TimelineHeader } from '../../engine/answers';
import type { TimelineAnswer } from '../../engine/pictures';
import { byUse, usualCounters } from './counter_order';

/** An answer with these counters in two bins. */
function answerWith(counters: Record<string, readonly [number, number]>): TimelineAnswer {
  const header = {
    bins: 2,
    counters: Object.keys(counters).map((name) => ({ name, unit: '', is_difference: false })),
  } as Partial<TimelineHeader> as TimelineHeader;
  const arrays = { ns: new Float32Array(), counters: Float32Array.from(Object.values(counters).flat()) };
  return { kind: 'binary', header, arrays };
}

test('counters that change come before steady ones, and those that are always 0 come last', () => {
  const uses = byUse(answerWith({ zero: [0, Number.NaN], steady: [5, 5], much: [0, 9], little: [8, 9] }));
  expect(uses.map(({ name }) => name)).toEqual(['much', 'little', 'steady', 'zero']);
  expect(usualCounters(uses)).toEqual(['much', 'little', 'steady']);
});

test('only some counters are shown at first', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const uses = byUse(answerWith(Object.fromEntries(names.map((name) => [name, [1, 2] as const]))));
  expect(usualCounters(uses)).toEqual(names.slice(0, 4));
  expect(byUse(undefined)).toEqual([]);
});
