import { expect, test } from 'vitest';
import { BoxFlag } from '../../canvas/flame_boxes';
import type { StackChartAnswer } from '../../engine/pictures';
import { chartBoxes, timeOfBox } from './chart_boxes';

test('boxes have shares of the shown time and keep their times', () => {
  const answer = {
    header: { from_ns: 1e9, to_ns: 5e9, names: { 1: 'run', 2: 'park' } },
    arrays: {
      node: Uint32Array.of(1, 2),
      function: Uint32Array.of(1, 2),
      row: Uint32Array.of(0, 1),
      start_ns: Float64Array.of(1e9, 2e9),
      end_ns: Float64Array.of(5e9, 4e9),
      kind: Uint8Array.of(1, 6),
      flags: Uint8Array.of(0, 4),
    },
  } as unknown as StackChartAnswer;
  const boxes = chartBoxes(answer);
  expect([...boxes.arrays.x]).toEqual([0, 0.25]);
  expect([...boxes.arrays.width]).toEqual([1, 0.5]);
  expect(boxes.at(1, 0.5)).toBe(1);
  expect(boxes.at(1, 0.8)).toBeUndefined();
  expect([boxes.name(1), boxes.has(1, BoxFlag.waits), boxes.has(0, BoxFlag.waits)]).toEqual(['park', true, false]);
  expect(timeOfBox(answer, 1)).toEqual({ fromNs: 2e9, toNs: 4e9 });
});
