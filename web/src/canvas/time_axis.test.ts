import { expect, it } from 'vitest';
import { axisMarks, rangeBetween, timeToX, xToTime } from './time_axis';

const axis = { fromNs: 10e9, toNs: 20e9, width: 1000 };

it('turns time into pixels and back', () => {
  expect(timeToX(15e9, axis)).toBe(500);
  expect(xToTime(500, axis)).toBe(15e9);
  expect(xToTime(-20, axis)).toBe(10e9);
  expect(xToTime(2000, axis)).toBe(20e9);
});

it('takes a range dragged in either direction', () => {
  expect(rangeBetween(300, 100, axis)).toEqual({ fromNs: 11e9, toNs: 13e9 });
});

it('sets marks at round times that do not touch', () => {
  expect(axisMarks(axis)).toEqual([10e9, 11e9, 12e9, 13e9, 14e9, 15e9, 16e9, 17e9, 18e9, 19e9, 20e9]);
  expect(axisMarks({ fromNs: 0, toNs: 3e9, width: 200 })).toEqual([0, 2e9]);
  expect(axisMarks({ fromNs: 0, toNs: 600e9, width: 400 })).toEqual([0, 300e9, 600e9]);
  expect(axisMarks({ fromNs: 0, toNs: 7200e9, width: 200 })).toEqual([0, 3600e9, 7200e9]);
  expect(axisMarks({ fromNs: 5, toNs: 5, width: 200 })).toEqual([]);
});
