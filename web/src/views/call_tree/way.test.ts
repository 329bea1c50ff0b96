import { expect, it } from 'vitest';
import { BoxFlag, FlameBoxes } from '../../canvas/flame_boxes';
import { followWay, matchesOf, type WayStep, wayTo } from './way';

const way: WayStep[] = [
  { node: 20, name: 'worker' },
  { node: 21, name: 'write' },
];

/** all | main worker | read write */
function boxesWith(...flags: number[]): FlameBoxes {
  return new FlameBoxes(
    {
      node: Uint32Array.of(0, 10, 20, 11, 21),
      function: Uint32Array.of(0, 1, 2, 3, 4),
      row: Uint32Array.of(0, 1, 1, 2, 2),
      x: Float32Array.of(0, 0, 0.4, 0, 0.4),
      width: Float32Array.of(1, 0.4, 0.6, 0.1, 0.5),
      value: Float64Array.of(100, 40, 60, 10, 50),
      own: Float64Array.of(0, 30, 0, 10, 50),
      kind: new Uint8Array(5),
      flags: Uint8Array.from([0, 1, 2, 3, 4], (box) => (flags.includes(box) ? BoxFlag.matches : 0)),
    },
    { 0: '<Total>', 1: 'main', 2: 'worker', 3: 'read', 4: 'write' },
  );
}

it('finds matches below other matches, the heaviest first, and small ones last', () => {
  const outermost = [
    { node: 20, row: 1, function: 2, value: 60 },
    { node: 77, row: 3, function: 9, value: 0.01 },
  ];
  expect(matchesOf(boxesWith(2, 3, 4), outermost)).toEqual([
    { node: 20, of: 2, box: 2 },
    { node: 21, of: 4, box: 4 },
    { node: 11, of: 3, box: 3 },
    { node: 77, of: 9, box: undefined },
  ]);
  expect(matchesOf(boxesWith(), [])).toEqual([]);
});

it('is read from the boxes of the flame graph', () => {
  const boxes = boxesWith();
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
