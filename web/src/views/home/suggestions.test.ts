import { describe, expect, test } from 'vitest';
import type { Overview } from './overview';
import { suggestionsFor } from './suggestions';

/** A program that does nothing remarkable. */
const CALM: Overview = {
  sorted_by: 'exclusive_cpu_ns',
  state: 'complete',
  command: ['java', 'A'],
  duration_ns: 10e9,
  start_wall_ns: 0,
  host: null,
  jvm: null,
  samples_count: 5000,
  threads_count: 2,
  notes: [],
  columns: [],
  totals: { cpu_ns: 9e9, user_cpu_ns: 8.5e9, system_cpu_ns: 0.5e9 },
  closure_ratio: 0.99,
  closure: null,
  blocked_by_reason: null,
  run_queue_ns: 0,
  syscalls: null,
  not_counted: [],
  losses: [],
  collectors: [],
  why_no_system_cpu: null,
  resources: null,
  top_functions: [],
};

const rules = (change: Partial<Overview>) => suggestionsFor({ ...CALM, ...change }).map(({ rule }) => rule);

describe('what to look at', () => {
  test('of a calm program is nothing', () => {
    expect(rules({})).toEqual([]);
  });

  test('of a program that writes single bytes are the calls, then the kernel, with their figures', () => {
    const write = { call: 'write', calls_count: 900, calls_per_second: 90, bytes_per_call: 1, duration_ns: 1 };
    const syscalls = { calls_count: 1000, calls_per_second: 100, errors_count: 0, bytes_per_call: 1, duration_ns: 1, top_by_time: [write] };
    const found = suggestionsFor({ ...CALM, totals: { cpu_ns: 10e9, system_cpu_ns: 8.5e9 }, syscalls });
    expect(found.map(({ rule }) => rule)).toEqual(['small_calls', 'system_cpu']);
    expect(found[0]?.because).toBe('System CPU is 85 % of the CPU time, and write moves 1.0 bytes a call, 90 times a second.');
    const rare = { ...syscalls, top_by_time: [{ ...write, calls_count: 99 }] };
    expect(rules({ totals: { cpu_ns: 10e9, system_cpu_ns: 8.5e9 }, syscalls: rare })).toEqual(['system_cpu']);
  });

  test('depends on thresholds', () => {
    expect(rules({ closure_ratio: 0.89 })).toEqual(['low_closure']);
    expect(rules({ closure_ratio: null })).toEqual([]);
    expect(rules({ samples_count: 199 })).toEqual(['few_samples']);
    expect(rules({ run_queue_ns: 4e9 })).toEqual(['run_queue']);
    expect(rules({ totals: { cpu_ns: 0.5e9 } })).toEqual(['idle']);
    expect(rules({ resources: { gc_ns: 2e9, gc_count: 3 } })).toEqual(['gc']);
    expect(rules({ totals: { cpu_ns: 9e9, alloc_bytes: 2e9 } })).toEqual(['allocation']);
  });

  test('the top function is one of the code, not a pseudo-function', () => {
    const row = (name: string, kind: string, ratio: number) => ({ function: name, kind, exclusive_cpu_ns: 1, exclusive_cpu_ratio: ratio });
    const found = suggestionsFor({ ...CALM, top_functions: [row('<JVM-System>', 'pseudo', 0.5), row('a.B.f(int)', 'java', 0.3)] });
    expect(found.map(({ title }) => title)).toEqual(['B.f(int) is the top function']);
    expect(found[0]?.change).toMatchObject({ fragment: ['a.B.f(int)'] });
  });
});
