import { expect, test } from 'vitest';
import { INITIAL } from './app_state';
import { changed, regrown } from './change';

const ZOOMED = { ...INITIAL, zoom: [3, 5], metric: 'cpu', columns: 'e.cpu', sort: 'name' };

test('a zoom is reset when nodes get new numbers', () => {
  expect(changed(ZOOMED, { mode: 'machine' }).zoom).toEqual([]);
  expect(changed(ZOOMED, { transforms: ['collapse recursion'] }).zoom).toEqual([]);
  expect(changed(ZOOMED, { mode: 'user' }).zoom).toEqual([3, 5]);
  expect(changed(ZOOMED, { filter: ['mode is system'] }).zoom).toEqual([3, 5]);
  expect(changed(ZOOMED, { transforms: ['merge "A.f"'], zoom: [1] }).zoom).toEqual([1]);
});

test('folded frames that were opened are closed when nodes get new numbers', () => {
  const options = { frameworks: '1a.2b', 'call-tree.open': '3' };
  expect(changed({ ...INITIAL, options }, { transforms: ['collapse recursion'] }).options).toEqual({});
  expect(changed({ ...INITIAL, options: { frameworks: 'shown' } }, { mode: 'machine' }).options).toEqual({ frameworks: 'shown' });
  expect(regrown({ ...INITIAL, options })).toEqual({ zoom: [], options: {} });
});

test('another experiment has other metrics', () => {
  const next = changed(ZOOMED, { experiment: 1 });
  expect([next.metric, next.columns, next.sort]).toEqual([null, null, null]);
  expect(changed(ZOOMED, { experiment: 0 }).metric).toBe('cpu');
});

test('the note of a link belongs to its view', () => {
  const noted = { ...INITIAL, note: 'look' };
  expect(changed(noted, { filter: ['mode is system'] }).note).toBe('look');
  expect(changed(noted, { view: 'functions' }).note).toBe('');
  expect(changed(noted, { view: 'functions', note: 'there' }).note).toBe('there');
});
