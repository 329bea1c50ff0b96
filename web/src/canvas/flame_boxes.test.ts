import { describe, expect, it } from 'vitest';
import { BoxFlag, FlameBoxes, NO_BOXES } from './flame_boxes';

/**
 *     row 0  |all                                 |
 *     row 1  |main            |worker             |
 *     row 2  |read  |  gap    |write         |2 small|
 */
function drawn(): FlameBoxes {
  const names = { 0: '<Total>', 1: 'main', 2: 'worker', 3: 'read', 4: 'write', 5: 'flush' };
  return new FlameBoxes(
    {
      node: Uint32Array.of(0, 10, 20, 11, 21, 22),
      function: Uint32Array.of(0, 1, 2, 3, 4, 5),
      row: Uint32Array.of(0, 1, 1, 2, 2, 2),
      x: Float32Array.of(0, 0, 0.4, 0, 0.4, 0.9),
      width: Float32Array.of(1, 0.4, 0.6, 0.1, 0.5, 0.1),
      value: Float64Array.of(100, 40, 60, 10, 50, 10),
      own: Float64Array.of(0, 30, 0, 10, 50, 2),
      kind: Uint8Array.of(0, 1, 2, 7, 6, 1),
      flags: Uint8Array.of(0, 0, 0, BoxFlag.matches, 0, BoxFlag.joined),
    },
    names,
  );
}

describe('FlameBoxes', () => {
  it('finds the box at a place, but no box in a gap', () => {
    const boxes = drawn();
    expect(boxes.name(boxes.at(1, 0.39)!)).toBe('main');
    expect(boxes.name(boxes.at(1, 0.41)!)).toBe('worker');
    expect(boxes.at(2, 0.2)).toBeUndefined();
    expect(boxes.at(3, 0.2)).toBeUndefined();
    expect(boxes.name(boxes.at(2, 0.11, 0.12)!)).toBe('read');
  });

  it('steps to parents, siblings and the widest child, and stays if there is none', () => {
    const boxes = drawn();
    const worker = boxes.ofNode(20)!;
    expect(boxes.name(boxes.step(worker, 'parent'))).toBe('<Total>');
    expect(boxes.name(boxes.step(worker, 'previous'))).toBe('main');
    expect(boxes.step(worker, 'next')).toBe(worker);
    expect(boxes.name(boxes.step(worker, 'child'))).toBe('write');
    expect(boxes.step(boxes.ofNode(21)!, 'child')).toBe(boxes.ofNode(21));
  });

  it('has kinds and flags', () => {
    const boxes = drawn();
    expect(boxes.kind(3)).toBe(7);
    expect(boxes.has(3, BoxFlag.matches)).toBe(true);
    expect(boxes.has(5, BoxFlag.joined)).toBe(true);
  });

  it('is empty without boxes', () => {
    expect(NO_BOXES.at(0, 0.5)).toBeUndefined();
    expect(NO_BOXES.rowRange(0)).toEqual([0, 0]);
  });
});
