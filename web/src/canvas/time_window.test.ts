import { expect, it } from 'vitest';
import { afterKey, afterWheel, draggedWindow, panned, rangeAround, rangeWithin, type Wheel, zoomed } from './time_window';

const range = (fromNs: number, toNs: number) => ({ fromNs, toNs });

it('zooms at a time that keeps its place', () => {
  expect(zoomed(range(0, 8000), 0.5, 2000, 8000)).toEqual(range(1000, 5000));
  expect(zoomed(range(1000, 5000), 2, 2000, 8000)).toEqual(range(0, 8000));
});

it('never leaves the run, and shows at least a microsecond', () => {
  expect(zoomed(range(0, 1e9), 5, 1e9, 1e9)).toEqual(range(0, 1e9));
  expect(zoomed(range(5000, 7000), 0.001, 6000, 1e9)).toEqual(range(5500, 6500));
  expect(panned(range(6000, 9000), 5000, 10_000)).toEqual(range(7000, 10_000));
  expect(panned(range(6000, 9000), -7000, 10_000)).toEqual(range(0, 3000));
  expect(rangeWithin(0, 5, 300)).toEqual(range(0, 300));
});

it('shows an event or a moment in the middle, and never leaves the run', () => {
  expect(rangeAround(range(40_000, 42_000), 20_000, 1e6)).toEqual(range(31_000, 51_000));
  expect(rangeAround(range(5000, 5000), 20_000, 1e6)).toEqual(range(0, 20_000));
  expect(rangeAround(range(999_000, 999_000), 20_000, 1e6)).toEqual(range(980_000, 1e6));
  expect(rangeAround(range(5000, 5000), 20_000, 8000)).toEqual(range(0, 8000));
});

const wheel = (turned: Partial<Wheel>): Wheel => ({
  deltaX: 0,
  deltaY: 0,
  deltaMode: 0,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...turned,
});

it('reads a turn of the wheel', () => {
  const place = { axis: { fromNs: 0, toNs: 100_000, width: 100 }, x: 50, wholeNs: 1e6, zoomsAlone: false };
  expect(afterWheel(wheel({ deltaY: 100 }), place)).toBeUndefined();
  expect(afterWheel(wheel({ deltaY: 10, shiftKey: true }), place)).toEqual(range(10_000, 110_000));
  expect(afterWheel(wheel({ deltaX: 10, deltaY: 3 }), place)).toEqual(range(10_000, 110_000));
  const factor = Math.exp(-0.3);
  const closer = range(Math.round(50_000 * (1 - factor)), Math.round(50_000 * (1 - factor)) + Math.round(100_000 * factor));
  expect(afterWheel(wheel({ deltaY: -500, ctrlKey: true }), place)).toEqual(closer);
  expect(afterWheel(wheel({ deltaY: -30, deltaMode: 1 }), { ...place, zoomsAlone: true })).toEqual(closer);
});

it('zooms with W and S at the cursor, and pans with A and D', () => {
  expect(afterKey('w', range(0, 9000), 3000, 9000)).toEqual(range(1000, 7000));
  expect(afterKey('W', range(0, 9000), undefined, 9000)).toEqual(range(1500, 7500));
  expect(afterKey('s', range(3000, 5000), 8000, 9000)).toEqual(range(2500, 5500));
  expect(afterKey('d', range(1000, 3000), undefined, 9000)).toEqual(range(1200, 3200));
  expect(afterKey('a', range(1000, 3000), undefined, 9000)).toEqual(range(800, 2800));
  expect(afterKey('x', range(1000, 3000), undefined, 9000)).toBeUndefined();
});

it('drags the window of a minimap', () => {
  expect(draggedWindow(range(2000, 4000), 3000, 3500, 9000)).toEqual(range(2500, 4500));
  expect(draggedWindow(range(2000, 4000), 6000, 6000, 9000)).toEqual(range(5000, 7000));
  expect(draggedWindow(range(0, 9000), 6000, 3000, 9000)).toEqual(range(3000, 6000));
  expect(draggedWindow(range(0, 9000), 6000, 6000, 9000)).toEqual(range(0, 9000));
});
