import { expect, test } from 'vitest';
import {
  cellAt,
  cellPlace,
  cellStart,
  cellsOfRange,
  heatLayout,
  movedCell,
  nearestCell,
  rangeOfCells,
  stepOf,
} from './heat_map_layout';

const shape = { columns: 3, rows: 4, columnNs: 1e9 };
const layout = { cellWidth: 10, cellHeight: 5 };

test('cells fill the space in whole pixels, but short runs have no huge cells', () => {
  expect(heatLayout({ width: 1000, height: 600 }, { columns: 60, rows: 50, columnNs: 1e9 })).toEqual({
    cellWidth: 16,
    cellHeight: 12,
  });
  expect(heatLayout({ width: 1000, height: 600 }, shape)).toEqual({ cellWidth: 96, cellHeight: 24 });
  expect(heatLayout({ width: 10, height: 10 }, { columns: 60, rows: 50, columnNs: 1e9 })).toEqual({
    cellWidth: 1,
    cellHeight: 1,
  });
});

test('a column begins at the bottom', () => {
  expect(cellPlace(0, shape, layout)).toEqual([0, 15]);
  expect(cellPlace(7, shape, layout)).toEqual([10, 0]);
  for (let cell = 0; cell < 12; cell++) {
    const [left, top] = cellPlace(cell, shape, layout);
    expect(cellAt(left, top, shape, layout)).toBe(cell);
    expect(cellAt(left + 9.9, top + 4.9, shape, layout)).toBe(cell);
  }
  expect(cellAt(30, 0, shape, layout)).toBeUndefined();
  expect(cellAt(0, 20, shape, layout)).toBeUndefined();
  expect(nearestCell(-5, 100, shape, layout)).toBe(0);
  expect(nearestCell(500, -1, shape, layout)).toBe(11);
});

test('cells and ranges of time match', () => {
  expect(cellStart(5, shape)).toBe(1.25e9);
  expect(rangeOfCells(6, 1, shape)).toEqual({ fromNs: 0.25e9, toNs: 1.75e9 });
  expect(cellsOfRange({ fromNs: 0.25e9, toNs: 1.75e9 }, shape)).toEqual([1, 7]);
  expect(cellsOfRange({ fromNs: 0.3e9, toNs: 99e9 }, shape)).toEqual([1, 12]);
  expect(cellsOfRange({ fromNs: 50e9, toNs: 99e9 }, shape)).toEqual([12, 12]);
  // The engine rounds the starts of cells in the same way.
  expect(cellStart(1, { columns: 1, rows: 3, columnNs: 1e9 })).toBe(333_333_334);
});

test('a value has a step, and nothing has none', () => {
  expect([0, 1, 12.5, 12.6, 99, 100].map((value) => stepOf(value, 100, 8))).toEqual([0, 1, 1, 2, 8, 8]);
  expect(stepOf(0, 0, 8)).toBe(0);
});

test('arrow keys move between cells', () => {
  const all = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'x'];
  expect(all.map((key) => movedCell(key, 5, shape))).toEqual([6, 4, 1, 9, 0, 11, undefined]);
  expect(['ArrowUp', 'ArrowRight'].map((key) => movedCell(key, 11, shape))).toEqual([11, 11]);
  expect(['ArrowDown', 'ArrowLeft'].map((key) => movedCell(key, 0, shape))).toEqual([0, 0]);
});
