import { describe, expect, test } from 'vitest';
import type { Column, FunctionKind, KnownMetric, OverviewView, ResourceUse, Unit } from '../../engine/answers';
import { suggestionsFor } from './suggestions';

/** A column of totals. */
function total(metric: KnownMetric, unit: Unit = 'nanoseconds'): Column {
  return { flavour: 'plain', metric, title: metric, unit, is_percent: false };
}

/** A program without remarkable values. */
const CALM: OverviewView = {
  view: 'overview',
  mode: 'user',
  filter: null,
  transforms: [],
  sorted_by: 'exclusive_cpu_ns',
  written_by: { name: 'whittle', version: '1.0.0' },
  state: 'complete',
  command: ['java', 'A'],
  duration_ns: 10e9,
  start_wall_ns: 0,
  exit: { code: 0 },
  host: null,
  jvm: null,
  samples_count: 5000,
  threads_count: 2,
  seen_threads_count: 2,
  notes: [],
  columns: [total('cpu'), total('user_cpu'), total('system_cpu'), total('alloc_bytes', 'bytes')],
  totals: { cpu_ns: 9e9, user_cpu_ns: 8.5e9, system_cpu_ns: 0.5e9 },
  closure_ratio: 0.99,
  coverage_ratio: 1,
  closure: null,
  blocked_by_reason: [],
  run_queue_ns: 0,
  safepoints: null,
  gc_pauses: null,
  syscalls: null,
  calibration: [],
  not_counted: [],
  whittle_cpu_ns: null,
  losses: [],
  collectors: [],
  why_no_system_cpu: null,
  resources: null,
  units_of_work: [],
  top_functions: [],
};

/** Resources that contain only the times and the garbage collection. */
const collecting = (gc_count: number, gc_ns: number): ResourceUse => ({
  real_ns: 10e9,
  user_ns: 8.5e9,
  system_ns: 0.5e9,
  peak_rss_bytes: null,
  mean_rss_bytes: null,
  voluntary_switches: null,
  involuntary_switches: null,
  minor_faults: null,
  major_faults: null,
  gc_count,
  gc_ns,
  allocated_bytes: null,
  allocated_objects_count: null,
  run_queue_ns: null,
  blocked_ns: null,
});

const rules = (change: Partial<OverviewView>) => suggestionsFor({ ...CALM, ...change }).map(({ rule }) => rule);

describe('what to look at', () => {
  test('has no suggestion for an unremarkable program', () => {
    expect(rules({})).toEqual([]);
  });

  test('suggests the calls, then the kernel, for a program that writes single bytes', () => {
    const write = { call: 'write', calls_count: 900, calls_per_second: 90, bytes_per_call: 1, duration_ns: 1 };
    const syscalls = {
      calls_count: 1000,
      calls_per_second: 100,
      errors_count: 0,
      bytes: 1000,
      bytes_per_call: 1,
      duration_ns: 1,
      top_by_time: [write],
    };
    const found = suggestionsFor({ ...CALM, totals: { cpu_ns: 10e9, system_cpu_ns: 8.5e9 }, syscalls });
    expect(found.map(({ rule }) => rule)).toEqual(['small_calls', 'machine_mode']);
    expect(found[0]?.because).toBe(
      'System CPU is 85 % of the CPU time, and write transfers 1.0 bytes per call, 90 times per second.',
    );
    const noTime = { ...syscalls, top_by_time: [{ ...write, calls_per_second: null }] };
    expect(suggestionsFor({ ...CALM, totals: { cpu_ns: 10e9, system_cpu_ns: 8.5e9 }, syscalls: noTime })[0]?.because).toBe(
      'System CPU is 85 % of the CPU time, and write transfers 1.0 bytes per call.',
    );
    const rare = { ...syscalls, top_by_time: [{ ...write, calls_count: 99 }] };
    expect(rules({ totals: { cpu_ns: 10e9, system_cpu_ns: 8.5e9 }, syscalls: rare })).toEqual(['machine_mode']);
  });

  test('suggests machine mode only if the kernel uses most of the CPU time and the mode is another one', () => {
    const totals = { cpu_ns: 10e9, system_cpu_ns: 6e9 };
    const [found] = suggestionsFor({ ...CALM, totals });
    expect(found?.rule).toBe('machine_mode');
    expect(found?.change).toMatchObject({ mode: 'machine', metric: 'system_cpu' });
    expect(rules({ totals, mode: 'machine' })).toEqual(['system_cpu']);
    expect(rules({ totals: { cpu_ns: 10e9, system_cpu_ns: 4e9 } })).toEqual(['system_cpu']);
  });

  test('depends on thresholds', () => {
    expect(rules({ closure_ratio: 0.89 })).toEqual(['low_closure']);
    expect(rules({ closure_ratio: null })).toEqual([]);
    expect(rules({ samples_count: 199 })).toEqual(['few_samples']);
    expect(rules({ run_queue_ns: 4e9 })).toEqual(['run_queue']);
    expect(rules({ totals: { cpu_ns: 0.5e9 } })).toEqual(['idle']);
    expect(rules({ resources: collecting(3, 2e9) })).toEqual(['gc']);
    expect(rules({ totals: { cpu_ns: 9e9, alloc_bytes: 2e9 } })).toEqual(['allocation']);
  });

  test('the top function is one of the code, not a pseudo-function', () => {
    const row = (name: string, kind: FunctionKind, ratio: number) => ({
      function: name,
      kind,
      binary: null,
      exclusive_cpu_ns: 1,
      exclusive_cpu_ratio: ratio,
    });
    const found = suggestionsFor({
      ...CALM,
      top_functions: [row('<JVM-System>', 'pseudo', 0.5), row('a.B.f(int)', 'java', 0.3)],
    });
    expect(found.map(({ title }) => title)).toEqual(['B.f(int) is the top function']);
    expect(found[0]?.change).toMatchObject({ fragment: ['a.B.f(int)'] });
  });
});
