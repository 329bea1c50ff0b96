import { expect, test } from 'vitest';
import { INITIAL } from './app_state';
import { changed } from './change';

const ZOOMED = { ...INITIAL, zoom: [3, 5], metric: 'cpu', columns: 'e.cpu', sort: 'name' };

test('a zoom is reset when nodes get new numbers', () => {
  expect(changed(ZOOMED, { mode: 'machine' }).zoom).toEqual([]);
  expect(changed(ZOOMED, { transforms: ['collapse recursion'] }).zoom).toEqual([]);
  expect(changed(ZOOMED, { mode: 'user' }).zoom).toEqual([3, 5]);
  expect(changed(ZOOMED, { filter: ['mode is system'] }).zoom).toEqual([3, 5]);
  expect(changed(ZOOMED, { transforms: ['merge "A.f"'], zoom: [1] }).zoom).toEqual([1]);
});

test('another experiment has other metrics', () => {
  const next = changed(ZOOMED, { experiment: 1 });
  expect([next.metric, next.columns, next.sort]).toEqual([null, null, null]);
  expect(changed(ZOOMED, { experiment: 0 }).metric).toBe('cpu');
});
