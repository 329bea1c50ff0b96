import { expect, test } from 'vitest';
import { detailsOfRequest, detailsOfStop, spoken } from './lane_words';

test('a stop is described by its name, its length and its times', () => {
  const stop = { kind: 'gc_pause', name: 'Pause Young', start_ns: 1.5e9, end_ns: 1.512e9, reaching_ns: 2e5 } as const;
  expect(spoken(detailsOfStop(stop))).toBe(
    'Pause Young, Length 12.0 ms, Time 1.50000 s to 1.51200 s, Until all threads had stopped 200 µs, pause of the collector, stops all threads',
  );
  expect(spoken(detailsOfStop({ ...stop, kind: 'safepoint', reaching_ns: 0 }))).toContain('s, safepoint');
});

test('a request is described by its endpoint, its length and its thread', () => {
  const request = {
    name: 'GET /orders/{}',
    start_ns: 0,
    end_ns: 4e6,
    requests_count: 1,
    thread: 3,
    thread_name: 'http-1',
    has_own_name: true,
  };
  expect(detailsOfRequest(request).facts).toEqual(['longest request here', 'http-1']);
  expect(detailsOfRequest({ ...request, requests_count: 12, thread_name: '' }).facts).toEqual(['mean of 12 requests']);
});
