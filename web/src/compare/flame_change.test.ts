import { expect, test } from 'vitest';
import { FlameBoxes } from '../canvas/flame_boxes';
import { flameSvg } from '../canvas/flame_painter';
import { FRAME_INK } from '../theme/colours';
import { CHANGE_COLOURS } from './change_colours';
import { changeOfBoxes, totalsOf } from './flame_change';

/** <Total> over a new, a removed and an unchanged function. */
const boxes = new FlameBoxes(
  {
    node: new Uint32Array([0, 1, 2, 3]),
    function: new Uint32Array([0, 1, 2, 3]),
    row: new Uint32Array([0, 1, 1, 1]),
    x: new Float32Array([0, 0, 0.25, 0.5]),
    width: new Float32Array([1, 0.25, 0.25, 0.5]),
    value: new Float64Array([100, 25, 25, 50]),
    own: new Float64Array([0, 25, 25, 50]),
    kind: new Uint8Array(4),
    flags: new Uint8Array(4),
    baseline: new Float64Array([100, 0, 50, 50]),
    candidate: new Float64Array([100, 50, 0, 50]),
  },
  { 0: '<Total>', 1: 'A.added', 2: 'A.gone', 3: 'A.<same>' },
);
const PALETTE = {
  fill: () => '#000000',
  text: FRAME_INK,
  paledText: FRAME_INK,
  background: '#ffffff',
  joined: '#cccccc',
  joinedText: FRAME_INK,
  match: '#ee5cf0',
  matchText: FRAME_INK,
  selected: '#0000ff',
  focus: '#000000',
};

test('boxes have colours by change, and a mark before the name', () => {
  const change = changeOfBoxes(boxes, totalsOf(boxes, undefined), 'absolute', 'light');
  const window = { width: 800, height: 40, scrolled: 0, isRootLow: false, rowCount: 2 };
  const marks = { focused: undefined, selected: undefined, isSearching: false, change };
  const svg = flameSvg(boxes, window, { palette: PALETTE, marks }, 'graph');
  expect([0, 1, 2, 3].map((box) => change?.fill(box))).toEqual([0, 3, -3, 0].map((step) => CHANGE_COLOURS.light[step + 3]));
  expect(svg).toContain('>+ new A.added<');
  expect(svg).toContain('>\u2212 removed A.gone<');
  expect(svg).toContain('>A.&lt;same&gt;<');
});

test('a search keeps the colours, and makes other boxes pale', () => {
  const change = changeOfBoxes(boxes, totalsOf(boxes, undefined), 'absolute', 'light');
  const flags = new Uint8Array([0, 1, 0, 0]);
  const found = new FlameBoxes({ ...boxes.arrays, flags }, { 1: 'A.added' });
  const marks = { focused: undefined, selected: undefined, isSearching: true, change };
  const svg = flameSvg(
    found,
    { width: 800, height: 40, scrolled: 0, isRootLow: false, rowCount: 2 },
    { palette: PALETTE, marks },
    'graph',
  );
  expect(svg).not.toContain('#ee5cf0');
  expect(svg.match(/opacity=/g)?.length).toBe(3);
});

test('an ordinary graph has no changes', () => {
  const { baseline: _, candidate: __, ...arrays } = boxes.arrays;
  expect(changeOfBoxes(new FlameBoxes(arrays, {}), { baseline: 1, candidate: 1 }, 'absolute', 'dark')).toBeUndefined();
});
