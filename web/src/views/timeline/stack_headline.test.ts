import { expect, test } from 'vitest';
import { headlineOf } from './stack_headline';

const wait = { event: 'off_cpu', mode: 'system', reason: 'socket', start_ns: 22.4e9, time_ns: 26e9 } as const;
const weightOnly = { ...wait, start_ns: null } as const;
const tick = { event: 'cpu', mode: 'user', reason: 'none', start_ns: 5e9, time_ns: 5e9 } as const;

test.each([
  [wait, 24.1e9, 'At 24.1 s: off-CPU, in system mode, waiting: socket, from 22.4 s to 26.0 s'],
  [wait, 20e9, 'No sample at 20.0 s. The nearest, at 22.4 s: off-CPU, in system mode, waiting: socket, from 22.4 s to 26.0 s'],
  [wait, 27e9, 'No sample at 27.0 s. The nearest, at 26.0 s: off-CPU, in system mode, waiting: socket, from 22.4 s to 26.0 s'],
  [weightOnly, 24.1e9, 'Near 24.1 s: off-CPU, in system mode, waiting: socket, sampled at 26.0 s'],
  [tick, 5e9, 'At 5 s: on-CPU, in user mode'],
])('the headline is about the moment that was asked for', (stack, askedNs, words) => {
  expect(headlineOf(stack, askedNs)).toBe(words);
});
