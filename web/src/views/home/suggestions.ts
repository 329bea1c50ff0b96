// Suggestions are rules over the overview. Each suggestion gives the values behind it and the view with details.
// Suggestions show where to look. They do not name a cause and promise no saving. Each percentage names the value that
// is 100 %.

import type { FunctionRow, KnownMetric, OverviewView } from '../../engine/answers';
import { shortName } from '../../format/names';
import { grouped, mean, readable, roughPercent } from '../../format/numbers';
import type { StateChange } from '../../state/change';
import { rankingMetric, totalOf } from './overview';

export interface Suggestion {
  rule: string;
  title: string;
  because: string;
  /** The target of the button. */
  change: StateChange;
  button: string;
}

/** The same thresholds as the advice of `whittle stat`. */
const MUCH_SYSTEM_CPU = 0.3;
const MOST_CPU = 0.5;
const SMALL_CALL_BYTES = 64;
const MANY_OF_ALL_CALLS = 0.1;
const MUCH_GC = 0.1;
const MUCH_QUEUE = 0.25;
const FEW_SAMPLES = 200;
const LOW_CLOSURE = 0.9;
const IDLE = 0.1;

type Rule = (overview: OverviewView) => Suggestion | undefined;

const RULES: readonly Rule[] = [
  lowClosure,
  fewSamples,
  smallCalls,
  systemCpu,
  garbageCollection,
  runQueue,
  idle,
  topFunction,
  allocation,
];

export function suggestionsFor(overview: OverviewView): Suggestion[] {
  return RULES.map((rule) => rule(overview)).filter((found) => found !== undefined);
}

function lowClosure(overview: OverviewView): Suggestion | undefined {
  const closure = overview.closure_ratio;
  if (closure === null || closure >= LOW_CLOSURE) return undefined;
  return {
    rule: 'low_closure',
    title: 'Part of the CPU time is not explained',
    because: `Samples with a complete stack explain ${roughPercent(closure)} of the CPU time that the scheduler counted. Percentages refer to that part.`,
    change: { view: 'functions' },
    button: 'Functions',
  };
}

function fewSamples(overview: OverviewView): Suggestion | undefined {
  if (overview.samples_count >= FEW_SAMPLES) return undefined;
  return {
    rule: 'few_samples',
    title: 'There are few samples',
    because: `${grouped(overview.samples_count)} samples are too few to show small costs. Collect for longer.`,
    change: { view: 'timeline' },
    button: 'Timeline',
  };
}

function systemShare(overview: OverviewView): number | undefined {
  const [cpu, system] = [totalOf(overview, 'cpu'), totalOf(overview, 'system_cpu')];
  return cpu === undefined || system === undefined || cpu === 0 ? undefined : system / cpu;
}

function smallCalls(overview: OverviewView): Suggestion | undefined {
  const share = systemShare(overview);
  const calls = overview.syscalls;
  if (share === undefined || share <= MUCH_SYSTEM_CPU || !calls) return undefined;
  const small = calls.top_by_time.find(
    (call) =>
      call.bytes_per_call !== null &&
      call.bytes_per_call > 0 &&
      call.bytes_per_call < SMALL_CALL_BYTES &&
      call.calls_count >= MANY_OF_ALL_CALLS * calls.calls_count,
  );
  if (!small) return undefined;
  return {
    rule: 'small_calls',
    title: `${small.call} transfers few bytes per call`,
    because:
      `System CPU is ${roughPercent(share)} of the CPU time, and ${small.call} transfers ${mean(small.bytes_per_call ?? 0)} bytes per call` +
      `${small.calls_per_second === null ? '' : `, ${grouped(small.calls_per_second)} times per second`}.`,
    change: { view: 'syscalls', options: { 'syscalls.sort': 'calls' } },
    button: 'Callers of these system calls',
  };
}

function systemCpu(overview: OverviewView): Suggestion | undefined {
  const share = systemShare(overview);
  if (share === undefined || share <= MUCH_SYSTEM_CPU) return undefined;
  const because = `System CPU is ${roughPercent(share)} of the CPU time, ${readable(totalOf(overview, 'system_cpu') ?? 0, 'nanoseconds')}.`;
  const bySystemCpu: StateChange = { view: 'functions', metric: 'system_cpu' satisfies KnownMetric, columns: null, sort: null };
  if (share > MOST_CPU && overview.mode !== 'machine') {
    return {
      rule: 'machine_mode',
      title: 'The kernel uses most of the CPU time',
      because: `${because} Machine mode also shows the functions of the kernel.`,
      change: { ...bySystemCpu, mode: 'machine' },
      button: 'Machine mode',
    };
  }
  return {
    rule: 'system_cpu',
    title: 'The kernel uses much of the CPU time',
    because,
    change: bySystemCpu,
    button: 'Functions by system CPU',
  };
}

function garbageCollection(overview: OverviewView): Suggestion | undefined {
  const { gc_ns: spent, gc_count: count } = overview.resources ?? {};
  if (!spent || spent <= MUCH_GC * overview.duration_ns) return undefined;
  return {
    rule: 'gc',
    title: 'Garbage collection takes much of the time',
    because: `${grouped(count ?? 0)} collections took ${readable(spent, 'nanoseconds')}, ${roughPercent(spent / overview.duration_ns)} of the elapsed time.`,
    change: { view: 'functions', metric: 'alloc_bytes' satisfies KnownMetric, columns: null, sort: null },
    button: 'Functions by allocated bytes',
  };
}

function runQueue(overview: OverviewView): Suggestion | undefined {
  const [queue, cpu] = [overview.run_queue_ns, totalOf(overview, 'cpu')];
  if (!queue || !cpu || queue <= MUCH_QUEUE * (queue + cpu)) return undefined;
  return {
    rule: 'run_queue',
    title: 'Threads waited for a CPU',
    because: `Runnable threads waited ${readable(queue, 'nanoseconds')} for a free CPU and ran for ${readable(cpu, 'nanoseconds')}.`,
    change: { view: 'timeline' },
    button: 'Timeline',
  };
}

function idle(overview: OverviewView): Suggestion | undefined {
  const cpu = totalOf(overview, 'cpu');
  if (cpu === undefined || cpu >= IDLE * overview.duration_ns) return undefined;
  return {
    rule: 'idle',
    title: 'The program mostly waited',
    because: `CPU time is ${roughPercent(cpu / overview.duration_ns)} of the elapsed time of one CPU. Look at what the threads waited for.`,
    change: { view: 'threads' },
    button: 'Threads',
  };
}

/** The first function of the program's code, by exclusive value. */
function topFunction(overview: OverviewView): Suggestion | undefined {
  const top = overview.top_functions.find((row) => row.kind !== 'pseudo' && !row.function.startsWith('<'));
  const share = top && exclusiveShare(top);
  if (!top || share === undefined || share === 0) return undefined;
  return {
    rule: 'top_function',
    title: `${shortName(top.function)} is the top function`,
    because: `Its exclusive value is ${roughPercent(share)} of the total ${rankingMetric(overview)?.title ?? 'cost'}. Look at its callers.`,
    change: { view: 'callers-callees', fragment: [top.function], selected: top.function },
    button: 'Callers and callees',
  };
}

export function exclusiveShare(row: FunctionRow): number | undefined {
  const value = Object.entries(row).find(([field]) => field.startsWith('exclusive_') && field.endsWith('_ratio'))?.[1];
  return typeof value === 'number' ? value : undefined;
}

function allocation(overview: OverviewView): Suggestion | undefined {
  const allocated = totalOf(overview, 'alloc_bytes');
  const rate = allocated === undefined ? 0 : allocated / (overview.duration_ns / 1e9);
  if (allocated === undefined || rate < 100e6) return undefined;
  return {
    rule: 'allocation',
    title: 'The allocation rate is high',
    because: `${readable(rate, 'bytes')} per second, estimated from samples.`,
    change: { view: 'functions', metric: 'alloc_bytes' satisfies KnownMetric, columns: null, sort: null },
    button: 'Functions by allocated bytes',
  };
}
