import { describe, expect, test } from 'vitest';
import {
  inCanonicalForm,
  joinedFilter,
  partAt,
  threadPart,
  timeRangeOf,
  withRequests,
  withThread,
  withTimeRange,
} from './filter_parts';

describe('parts of the filter', () => {
  test('all must match: parts with `or` get parentheses', () => {
    expect(joinedFilter([])).toBeNull();
    expect(joinedFilter(['mode is user or mode is system'])).toBe('mode is user or mode is system');
    expect(joinedFilter(['mode is user or mode is system', 'event is cpu'])).toBe(
      '(mode is user or mode is system) and event is cpu',
    );
  });

  test('`or` in a name is not an operator', () => {
    expect(joinedFilter(['thread = "this or that"', 'event is cpu'])).toBe('thread = "this or that" and event is cpu');
    expect(joinedFilter(['thread = "say ""or"" now"', 'event is cpu'])).toBe('thread = "say ""or"" now" and event is cpu');
  });

  test('a position in the whole text becomes a position in a part', () => {
    const parts = ['event is cpu', 'a or b', 'mode is x'];
    const whole = joinedFilter(parts) ?? '';
    expect(partAt(parts, whole.indexOf('cpu'))).toEqual({ index: 0, position: 9 });
    expect(partAt(parts, whole.indexOf('b)'))).toEqual({ index: 1, position: 5 });
    expect(partAt(parts, whole.indexOf('is x'))).toEqual({ index: 2, position: 5 });
    expect(partAt(parts, whole.length)).toEqual({ index: 2, position: 9 });
  });
});

describe('the time range', () => {
  test('is read from its part, in any unit', () => {
    expect(timeRangeOf('time in 10s..20s')).toEqual({ from_ns: 10e9, to_ns: 20e9 });
    expect(timeRangeOf('time in 250ms..1.5s')).toEqual({ from_ns: 250e6, to_ns: 1.5e9 });
    expect(timeRangeOf('thread = "main"')).toBeNull();
  });

  test('replaces the previous range and is exact to the nanosecond', () => {
    const range = { from_ns: 1_234_567_891, to_ns: 10_000_000_000 };
    const parts = withTimeRange(['time in 1s..2s', 'event is cpu'], range);
    expect(parts).toEqual(['event is cpu', 'time in 1.234567891s..10s']);
    expect(timeRangeOf(parts[1] ?? '')).toEqual(range);
    expect(withTimeRange(parts, null)).toEqual(['event is cpu']);
  });
});

describe('one thread alone', () => {
  const main = { name: 'say "hi"', row: 3, hasOwnName: true, isPool: false };

  test('is selected by name if the name is unique, else by number', () => {
    expect(threadPart(main)).toBe('thread = "say ""hi"""');
    expect(threadPart({ ...main, hasOwnName: false })).toBe('thread = #3');
  });

  test('a pool is selected in the same way', () => {
    const pool = { name: 'pool-3-thread-#', row: 7, hasOwnName: true, isPool: true };
    expect(threadPart(pool)).toBe('pool is "pool-3-thread-#"');
    expect(threadPart({ ...pool, hasOwnName: false })).toBe('pool is #7');
    expect(withThread(['pool is "other-#"', 'mode is user'], main)).toEqual(['mode is user', threadPart(main)]);
  });

  test('replaces another thread, but no other filters', () => {
    const parts = ['thread = #7', 'thread ~ "pool"', 'thread = "a" or thread = "b"', 'mode is user'];
    expect(withThread(parts, main)).toEqual([...parts.slice(1), 'thread = "say ""hi"""']);
    expect(withThread(['thread = "a ""b"""', 'mode is user'], null)).toEqual(['mode is user']);
  });
});

describe('requests', () => {
  test('replace other requests, but no other filters', () => {
    const parts = ['request is "GET /a"', 'mode is user', 'request_time > 1s', 'request is "a" or mode is user'];
    const kept = ['mode is user', 'request is "a" or mode is user'];
    expect(withRequests(parts, 'GET /"b"', null)).toEqual([...kept, 'request is "GET /""b"""']);
    expect(withRequests(parts, 'GET /b', 12_345_678)).toEqual([...kept, 'request is "GET /b"', 'request_time > 0.012345678s']);
  });
});

test('a name without quotes gets the form that the page finds again', () => {
  expect(inCanonicalForm('thread=worker')).toBe('thread = "worker"');
  expect(inCanonicalForm('thread ~ http-.*')).toBe('thread ~ "http-.*"');
  expect(inCanonicalForm('thread is main')).toBe('thread = "main"');
  expect(inCanonicalForm('pool is main')).toBe('pool is "main"');
  expect(inCanonicalForm('stack has a.B.f')).toBe('stack has "a.B.f"');
  expect(inCanonicalForm('not leaf is a.B.f(int, long)')).toBe('not leaf is "a.B.f(int, long)"');
  expect(inCanonicalForm('stack has package java.util')).toBe('stack has package "java.util"');
  for (const part of [
    'stack has "a.B.f"',
    'stack has package',
    'stack has fragment "a > b"',
    'stack has a.B.f and mode is user',
  ]) {
    expect(inCanonicalForm(part)).toBe(part);
  }
  for (const part of ['thread = "main"', 'thread = #12', 'mode is user', 'thread=a and mode is user']) {
    expect(inCanonicalForm(part)).toBe(part);
  }
});
