import { expect, it } from 'vitest';
import { FlameBoxes } from '../../canvas/flame_boxes';
import { followWay, type WayStep, wayTo } from './way';

const way: WayStep[] = [
  { node: 20, name: 'worker' },
  { node: 21, name: 'write' },
];

it('is read from the boxes of the flame graph', () => {
  // all | main worker | read write
  const boxes = new FlameBoxes(
    {
      node: Uint32Array.of(0, 10, 20, 11, 21),
      function: Uint32Array.of(0, 1, 2, 3, 4),
      row: Uint32Array.of(0, 1, 1, 2, 2),
      x: Float32Array.of(0, 0, 0.4, 0, 0.4),
      width: Float32Array.of(1, 0.4, 0.6, 0.1, 0.5),
      value: Float64Array.of(100, 40, 60, 10, 50),
      own: Float64Array.of(0, 30, 0, 10, 50),
      kind: new Uint8Array(5),
      flags: new Uint8Array(5),
    },
    { 0: '<Total>', 1: 'main', 2: 'worker', 3: 'read', 4: 'write' },
  );
  expect(wayTo(boxes, 4)).toEqual(way);
  expect(wayTo(boxes, 0)).toEqual([]);
});

/** `- 20 worker` is an open row, `+ 20 worker` a closed one. Two spaces are a level. */
function rows(...lines: string[]) {
  return lines.map((line) => {
    const [, spaces = '', sign, node, name = ''] = /^( *)([-+.]) (\d+) (.*)$/.exec(line) ?? [];
    const child_count = sign === '.' ? 0 : 1;
    return { node: Number(node), depth: spaces.length / 2, function: name, is_expanded: sign === '-', child_count };
  });
}

const follow = (lines: string[], of = way) => followWay(rows(...lines), of, (row, step) => row.node === step.node);

it('leads to a row that is visible, or to the row that must be opened', () => {
  expect(follow(['- 0 all', '  + 10 main', '  + 20 worker'])).toEqual({ index: 2, isClosed: true });
  const open = ['- 0 all', '  - 10 main', '    . 11 write', '  - 20 worker', '    . 22 flush', '    + 21 write'];
  expect(follow(open)).toEqual({ index: 5, isClosed: false });
  expect(follow(['+ 0 all'])).toEqual({ index: 0, isClosed: true });
  expect(follow(open, [])).toEqual({ index: 0, isClosed: false });
});

it('ends at the last row that exists', () => {
  expect(follow(['- 0 all', '  - 20 worker', '    . 22 flush', '  - 10 main', '    . 21 write'])).toEqual({
    index: 1,
    isClosed: false,
  });
  expect(follow(['- 0 all', '  . 20 worker'])).toEqual({ index: 1, isClosed: false });
});

it('can go by names, where rows and boxes have different numbers', () => {
  const callers = rows('- 0 all', '  + 7 read', '  - 8 worker', '    + 9 write');
  expect(followWay(callers, way, (row, step) => row.function === step.name)).toEqual({ index: 3, isClosed: false });
});
