import { expect, test } from 'vitest';
import type { Listing } from '../../engine/answers';
import { type CodeRow, firstShown, hottestRow, nextCost } from './hot_rows';

/** Makes rows from costs. The last row is the cost without a known line. */
function listing(costs: readonly number[], functions: Listing['functions'] = []): Listing {
  const rows = costs.map((cost, index): CodeRow => {
    const isLast = index === costs.length - 1;
    return {
      kind: isLast ? 'unplaced' : 'source',
      line: isLast ? null : index + 1,
      bytecode_index: null,
      address: null,
      text: '',
      cost,
    };
  });
  return { kind: 'java_source', why: null, source_file: 'A.java', path: null, functions, values: {}, rows };
}

const cost = (row: CodeRow) => Number(row.cost);

test('the hottest row has a line', () => {
  expect(hottestRow(listing([0, 3, 9, 1, 100]), cost)).toBe(2);
  expect(hottestRow(listing([0, 0, 5]), cost)).toBe(-1);
  expect(hottestRow(listing([]), cost)).toBe(-1);
});

test('the requested function is shown first, at its hottest row', () => {
  const functions = [
    { function: 'A.f', is_asked: false, first_row: 0 },
    { function: 'A.g', is_asked: true, first_row: 2 },
    { function: 'A.h', is_asked: false, first_row: 4 },
  ];
  expect(firstShown(listing([9, 0, 0, 1, 50, 0], functions), cost)).toBe(3);
  expect(firstShown(listing([9, 0, 0, 0, 50, 0], functions), cost)).toBe(2);
  expect(firstShown(listing([0, 0], []), cost)).toBe(0);
});

test('next and previous go around the end', () => {
  const of = listing([1, 0, 2, 0, 0]);
  expect(nextCost(of, cost, 0, 1)).toBe(2);
  expect(nextCost(of, cost, 2, 1)).toBe(0);
  expect(nextCost(of, cost, 0, -1)).toBe(2);
  expect(nextCost(listing([0, 0]), cost, 0, 1)).toBe(-1);
});
