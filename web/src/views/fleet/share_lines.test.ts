import { expect, test } from 'vitest';
import type { ShareRow } from '../../engine/fleet';
import { gapsOf, linesOf, MOST_LINES, ratioOf, runsOf } from './share_lines';

const row = (from_s: number, part: string, inclusive_ratio: number): ShareRow => ({
  from_s,
  to_s: from_s + 10,
  part,
  inclusive_ratio,
  exclusive_ratio: inclusive_ratio / 2,
  inclusive_cost: null,
});

/** Version 1.9 has data until 20, no data from 20 to 30. Version 1.10 has data from 10 on. */
const ROWS = [row(0, '1.9', 0.2), row(10, '1.9', 0.3), row(10, '1.10', 0.1), row(30, '1.10', 0.1)];

test('each part is a line, and periods without data are gaps', () => {
  const lines = linesOf({ rows: ROWS, from_s: 0, to_s: 50, every_s: 10 });
  expect(lines.periods.length).toBe(5);
  expect(lines.lines.map(({ part }) => part)).toEqual(['1.9', '1.10']);
  const values = lines.lines.map((line) => line.values.map((value) => ratioOf(value, 'inclusive')));
  expect(values).toEqual([
    [0.2, 0.3, null, null, null],
    [null, 0.1, null, 0.1, null],
  ]);
  expect(ratioOf(lines.lines[0]?.values[1], 'exclusive')).toBe(0.15);
  expect(values.map(runsOf)).toEqual([
    [[0, 2]],
    [
      [1, 2],
      [3, 4],
    ],
  ]);
  expect(gapsOf(lines)).toEqual([
    [2, 3],
    [4, 5],
  ]);
});

test('of many parts, the parts with most data are drawn', () => {
  const many = Array.from({ length: 30 }, (_, host) => [
    row(0, `host-${host}`, 0.1),
    ...(host % 5 === 0 ? [row(10, `host-${host}`, 0.1)] : []),
  ]).flat();
  const lines = linesOf({ rows: many, from_s: 0, to_s: 20, every_s: 10 });
  expect([lines.part_count, lines.lines.length]).toEqual([30, MOST_LINES]);
  for (const host of [0, 5, 10, 15, 20, 25]) expect(lines.lines.map(({ part }) => part)).toContain(`host-${host}`);
});

test('without an answer there are no lines', () => {
  const lines = linesOf({ rows: [], from_s: 0, to_s: 20, every_s: 10 });
  expect([lines.lines, lines.part_count]).toEqual([[], 0]);
  expect(gapsOf(lines)).toEqual([[0, 2]]);
  expect(linesOf({ rows: [], from_s: 0, to_s: 1e12, every_s: 1 }).periods.length).toBeLessThan(1000);
});
