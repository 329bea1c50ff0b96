import { expect, it, vi } from 'vitest';
import type { TimelineThread } from '../../engine/answers';
import { sharesAt, shortNameOf } from './strips';

// The colours need a window.
vi.mock('../../theme/appearance', () => ({ appearance: () => 'light', token: () => '' }));

const thread: TimelineThread = {
  thread: 0,
  name: 'http-nio-8080-exec-#',
  has_own_name: true,
  is_pool: true,
  is_idle_row: false,
  is_group: false,
  depth: 0,
  threads_count: 60,
  lanes_count: 60,
  class: 'work',
  process_id: null,
  thread_id: null,
  start_ns: null,
  end_ns: null,
  cpu_ns: 0,
  blocked_ns: 0,
};

it('keeps the number of threads of a pool when the name is shortened', () => {
  const measure = (text: string) => text.length;
  expect(shortNameOf(thread, 40, measure)).toBe('http-nio-8080-exec-# (60 threads)');
  expect(shortNameOf(thread, 16, measure)).toBe('http…exec-# (60)');
  const group = { ...thread, is_pool: false, is_group: true, name: 'socket' };
  expect(shortNameOf(group, 40, measure)).toBe('socket (60 threads)');
  expect(shortNameOf({ ...thread, is_pool: false }, 11, measure)).toBe('http…exec-#');
});

it('finds the states of a moment, as the mean of the threads of a pool', () => {
  const strips = {
    ns: Float32Array.of(0, 20, 40, 0),
    lanes: [2],
    fromNs: 100,
    binNs: 20,
    bins: 2,
    threadCount: 1,
    states: ['user', 'futex'],
  };
  expect(sharesAt(strips, { thread: 5, timeNs: 125 }, 5)).toEqual([['user', 0.5]]);
  expect(sharesAt(strips, { thread: 5, timeNs: 110 }, 5)).toEqual([['futex', 1]]);
  expect(sharesAt(strips, { thread: 5, timeNs: 90 }, 5)).toEqual([]);
  expect(sharesAt(strips, { thread: 4, timeNs: 110 }, 5)).toEqual([]);
});
