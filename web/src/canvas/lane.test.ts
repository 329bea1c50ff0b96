import { expect, test } from 'vitest';
import { barHeight, eventAfterKey, eventAt, LANE_HEIGHT, type Lane, placeOf } from './lane';

const NOTHING = 2 ** 32 - 1;
/** Ten bins of 100 ns: event 0 in the bins 2 and 3, event 1 in bin 8. */
const LANE: Lane = {
  amount: Float32Array.of(0, 0, 1, 1, 0, 0, 0, 0, 0.5, 0),
  longest: Uint32Array.from([-1, -1, 0, 0, -1, -1, -1, -1, 1, -1], (event) => (event < 0 ? NOTHING : event)),
  eventCount: 2,
  most: 1,
  fromNs: 0,
  binNs: 100,
};
const AXIS = { fromNs: 0, toNs: 1000, width: 20 };

test('the pointer finds an event, also a few pixels next to it', () => {
  const found = [0, 1, 4, 7, 10, 12, 16, 19].map((x) => eventAt(LANE, x, AXIS));
  expect(found).toEqual([undefined, 0, 0, 0, 0, undefined, 1, 1]);
});

test('an event is found where it is shown while the axis moves', () => {
  expect(eventAt(LANE, 0, { fromNs: 850, toNs: 900, width: 20 })).toBe(1);
  expect(eventAt(LANE, 0, { fromNs: 5000, toNs: 6000, width: 20 })).toBeUndefined();
});

test('keys go from event to event', () => {
  expect(eventAfterKey('ArrowRight', undefined, 3)).toBe(0);
  expect(eventAfterKey('ArrowRight', 0, 3)).toBe(1);
  expect(eventAfterKey('ArrowRight', 2, 3)).toBe(2);
  expect(eventAfterKey('ArrowLeft', 2, 3)).toBe(1);
  expect([eventAfterKey('Home', 2, 3), eventAfterKey('End', 0, 3)]).toEqual([0, 2]);
  expect([eventAfterKey('w', 1, 3), eventAfterKey('End', 0, 0)]).toEqual([undefined, undefined]);
});

test('every amount except 0 has a visible bar', () => {
  expect(barHeight(0, 10)).toBe(0);
  expect(barHeight(0.0001, 10)).toBeGreaterThan(4);
  expect(barHeight(10, 10)).toBeLessThan(LANE_HEIGHT);
  expect(barHeight(20, 10)).toBe(barHeight(10, 10));
});

test('a range has a place of at least two pixels, inside the axis', () => {
  expect(placeOf({ fromNs: 500, toNs: 500 }, AXIS)).toEqual({ left: 10, width: 2 });
  expect(placeOf({ fromNs: -500, toNs: 500 }, AXIS)).toEqual({ left: 0, width: 10 });
  expect(placeOf({ fromNs: 1500, toNs: 1600 }, AXIS)).toBeUndefined();
});
