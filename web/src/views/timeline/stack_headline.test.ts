import { expect, test } from 'vitest';
import { headlineOf } from './stack_headline';

const wait = { event: 'off_cpu', mode: 'system', reason: 'socket', start_ns: 22.4e9, time_ns: 26e9 } as const;
const weightOnly = { ...wait, start_ns: null } as const;
const tick = { event: 'cpu', mode: 'user', reason: 'none', start_ns: 5e9, time_ns: 5e9 } as const;
const WAITED = 'off-CPU, in system mode, waiting: socket';

test.each([
  [wait, 24.1e9, `At 24.100 s: ${WAITED}, from 22.400 s to 26.000 s`],
  [wait, 20e9, `No sample at 20.000 s. The nearest, 2.40 s later: ${WAITED}, from 22.400 s to 26.000 s`],
  [wait, 27e9, `No sample at 27.000 s. The nearest, 1 s earlier: ${WAITED}, from 22.400 s to 26.000 s`],
  [weightOnly, 24.1e9, `Near 24.100 s: ${WAITED}, sampled at 26.000 s, 1.90 s later`],
  [weightOnly, 26e9, `Near 26.000 s: ${WAITED}, sampled at 26.000 s`],
  [tick, 5e9, 'At 5.000 s: on-CPU, in user mode'],
])('the headline is about the moment that was asked for', (stack, askedNs, words) => {
  expect(headlineOf(stack, askedNs)).toBe(words);
});

test('a sample that is milliseconds away has another time than the moment', () => {
  expect(headlineOf(tick, 4.986e9)).toBe('No sample at 4.986 s. The nearest, 14.0 ms later: on-CPU, in user mode, at 5.000 s');
  expect(headlineOf(tick, 5.0004e9)).toContain('No sample at 5.000 s. The nearest, 400 µs earlier');
});
