import { expect, test } from 'vitest';
import { longestWords, showStop, stopsOf, stopsWords } from './stops_words';

const SAFEPOINTS = { events_count: 1012, duration_ns: 345e6, longest_ns: 12e6, reaching_ns: 1e6 };
const PAUSES = { ...SAFEPOINTS, events_count: 1 };
const STOP = { kind: 'gc_pause', name: 'Pause Young', start_ns: 12.306e9, end_ns: 12.318e9, reaching_ns: 0 } as const;

test('the stops are the safepoints, or else the pauses of the collector', () => {
  expect(stopsOf({ safepoints: SAFEPOINTS, gc_pauses: PAUSES })).toBe(SAFEPOINTS);
  expect(stopsOf({ safepoints: null, gc_pauses: PAUSES })).toBe(PAUSES);
  expect(stopsOf({ safepoints: null, gc_pauses: null })).toBeNull();
});

test('the sentences have the number, the total, and the longest stop with its time and its cause', () => {
  expect(stopsWords(SAFEPOINTS)).toBe('The JVM stopped all threads 1,012 times, 345 ms in total.');
  expect(stopsWords(PAUSES)).toContain('all threads 1 time, ');
  expect(longestWords(12e6)).toBe('The longest stop took 12.0 ms');
  expect(longestWords(12e6, STOP)).toBe('The longest stop took 12.0 ms, at 12.306 s: Pause Young');
});

test('the link shows the strips around the stop, and keeps other options', () => {
  const options = { 'timeline.sort': 'name', 'timeline.picture': 'heat-map' };
  const shown = { 'timeline.picture': '', 'timeline.from': '12192000000', 'timeline.to': '12432000000' };
  expect(showStop(STOP, options, 60e9)).toEqual({ view: 'timeline', options: { 'timeline.sort': 'name', ...shown } });
  expect(showStop(STOP, {}, 0.1e9).options).toMatchObject({ 'timeline.from': '', 'timeline.to': '' });
});
