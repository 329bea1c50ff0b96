import { expect, test } from 'vitest';
import type { ThreadRow } from '../../engine/answers';
import { sharesOf } from './shares';

const THREAD: ThreadRow = {
  thread: 'main',
  class: 'work',
  process_id: 1,
  thread_id: 2,
  thread_index: 1,
  has_own_name: true,
  pool: null,
  is_pool: false,
  depth: 0,
  threads_count: 1,
  recorded_samples_count: 200,
  exact_cpu_ns: 2e9,
  exact_user_cpu_ns: 1.5e9,
  exact_system_cpu_ns: 0.5e9,
  exact_cpu_split: 'kernel_ticks',
  run_queue_ns: 0,
  blocked_ns: 2e9,
  blocked_by_reason_ns: { sleep: 0.5e9, futex: 1.5e9 },
  start_ns: 0,
  end_ns: null,
};

test('shares are of the observed time, waits after CPU, the longest first', () => {
  const shares = sharesOf(THREAD);
  expect(shares.map(({ state, ratio }) => [state, ratio])).toEqual([
    ['user', 0.375],
    ['system', 0.125],
    ['futex', 0.375],
    ['sleep', 0.125],
  ]);
  expect(shares[0]?.text).toBe('user CPU 1.50 s (38 %)');
});

test('without counted waits there are no shares', () => {
  expect(sharesOf({ ...THREAD, blocked_ns: null, blocked_by_reason_ns: {} })).toEqual([]);
});
