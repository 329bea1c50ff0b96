import { expect, test } from 'vitest';
import { layoutColumns, type SizedColumn, type Space } from './layout';

const COLUMNS: readonly SizedColumn[] = [
  { key: 'cpu', width: 'minmax(84px, 112px)', isNumber: true },
  { key: 'percent', width: 'minmax(72px, 88px)', isNumber: true },
  { key: 'system', width: 'minmax(84px, 112px)', isNumber: true },
  { key: 'name', width: 'minmax(280px, 1fr)', isName: true },
];

function laidOut(space: Partial<Space>, columns = COLUMNS): [key: string, width: number][] {
  const layout = layoutColumns(columns, { available: 1000, needs: {}, sorted: undefined, isAll: false, ...space });
  return layout.columns.map(({ key }, index) => [key, layout.widths[index]!]);
}

const hidden = (space: Partial<Space>) =>
  layoutColumns(COLUMNS, { available: 1000, needs: {}, sorted: undefined, isAll: false, ...space }).hidden.map(({ key }) => key);

test('the name is first and takes the remaining width', () => {
  expect(laidOut({})).toEqual([
    ['name', 688],
    ['cpu', 112],
    ['percent', 88],
    ['system', 112],
  ]);
});

test('a number is as wide as its content, and the name gets less', () => {
  expect(laidOut({ needs: { cpu: 150.2, name: 900 } })).toEqual([
    ['name', 649],
    ['cpu', 151],
    ['percent', 88],
    ['system', 112],
  ]);
});

test('the least important columns are hidden, but never the name, the sorted column and the last value', () => {
  expect(hidden({ available: 420 })).toEqual(['system']);
  expect(hidden({ available: 350 })).toEqual(['system']);
  expect(hidden({ available: 350, sorted: 'system' })).toEqual(['percent']);
  expect(hidden({ available: 100, sorted: 'system' })).toEqual(['cpu', 'percent']);
  expect(hidden({ available: 100 })).toEqual(['percent', 'system']);
  const important = COLUMNS.map((column) => (column.key === 'system' ? { ...column, importance: 1 } : column));
  expect(laidOut({ available: 350 }, important).map(([key]) => key)).toEqual(['name', 'cpu', 'system']);
});

test('a whole text is never hidden, and leaves room for the most important value', () => {
  const source: readonly SizedColumn[] = [
    ...COLUMNS.slice(0, 3),
    { key: 'line', width: '52px', isName: true },
    { key: 'text', width: 'minmax(640px, 1fr)', isWhole: true, importance: 1 },
  ];
  const important = source.map((column) => (column.key === 'percent' ? { ...column, importance: 0.5 } : column));
  expect(laidOut({ available: 390 }, source).map(([key]) => key)).toEqual(['line', 'cpu', 'text']);
  expect(laidOut({ available: 390, needs: { text: 900 } }, important)).toEqual([
    ['line', 52],
    ['percent', 72],
    ['text', 900],
  ]);
  expect(laidOut({ available: 1000 }, source).map(([key]) => key)).toEqual(['line', 'cpu', 'percent', 'system', 'text']);
});

test('a name is never cut off to nothing', () => {
  expect(laidOut({ available: 374 })[0]).toEqual(['name', 218]);
  expect(laidOut({ available: 200, needs: { cpu: 190 } })[0]).toEqual(['name', 148]);
});

test('a name with a limit is not wider than its content, so the values follow it', () => {
  const fitted = COLUMNS.map((column) => (column.isName ? { ...column, spare: 20 } : column));
  const name = (space: Partial<Space>) => laidOut(space, fitted)[0]?.[1];
  expect(name({ available: 2560, needs: { name: 700 } })).toBe(720);
  expect(name({ available: 2560, needs: { name: 100 } })).toBe(280);
  // Until the content is measured.
  expect(name({ available: 2560 })).toBe(560);
  // The window is narrower than the content.
  expect(name({ available: 900, needs: { name: 700 } })).toBe(588);
  expect(name({ available: 350, needs: { name: 700 } })).toBe(laidOut({ available: 350 })[0]?.[1]);
});

test('a name with a largest width leaves the rest of a wide window empty', () => {
  const limited = COLUMNS.map((column) => (column.isName ? { ...column, widest: 900 } : column));
  const name = (space: Partial<Space>) => laidOut(space, limited)[0]?.[1];
  expect(name({ available: 2560 })).toBe(900);
  expect(name({ available: 900 })).toBe(laidOut({ available: 900 })[0]?.[1]);
});

test('all columns can be shown although they do not fit', () => {
  expect(laidOut({ available: 300, isAll: true }).map(([key]) => key)).toEqual(['name', 'cpu', 'percent', 'system']);
});
