import { describe, expect, test } from 'vitest';
import type { MetricLine } from '../engine/answers';
import { attributedMetrics, chosenColumns, defaultColumns, tableMetrics, writtenColumns } from '../state/column_choice';
import { scrollTo, visibleRows, windowAround } from './window';

describe('the requested window of rows', () => {
  test('includes every visible row, and does not change on small scrolls', () => {
    for (let first = 0; first < 2000; first += 1) {
      const { skip, limit } = windowAround(first, 45);
      expect(skip).toBeLessThanOrEqual(first);
      expect(skip + limit).toBeGreaterThanOrEqual(first + 45);
      expect(limit).toBeLessThanOrEqual(300);
    }
    const windows = new Set(Array.from({ length: 1000 }, (_, first) => JSON.stringify(windowAround(first, 45))));
    expect(windows.size).toBeLessThan(30);
  });
});

describe('rows on the screen', () => {
  test('are within the table, whatever the scroll position', () => {
    expect(visibleRows(0, 260, 26, 1000)).toEqual({ first: 0, end: 16 });
    expect(visibleRows(2600, 260, 26, 1000)).toEqual({ first: 94, end: 116 });
    expect(visibleRows(1e9, 260, 26, 1000)).toEqual({ first: 1000, end: 1000 });
    expect(visibleRows(0, 260, 26, 0)).toEqual({ first: 0, end: 0 });
  });

  test('scrolling to one moves as little as possible', () => {
    expect(scrollTo(5, 0, 260, 26)).toBe(0);
    expect(scrollTo(10, 0, 260, 26)).toBe(26);
    expect(scrollTo(2, 260, 260, 26)).toBe(52);
  });
});

describe('the choice of columns', () => {
  const metrics: readonly MetricLine[] = [
    { name: 'cpu', title: 'CPU', unit: 'nanoseconds', total: 1, shown: 'by_default', is_part: false },
    { name: 'system_cpu', title: 'System CPU', unit: 'nanoseconds', total: 1, shown: 'beside_default', is_part: true },
  ];

  test('is written in the order of metrics and read back', () => {
    const chosen = chosenColumns('i.system_cpu%,e.system_cpu,i.cpu,e.cpu%') ?? [];
    expect(writtenColumns(chosen, metrics)).toBe('e.cpu%,i.cpu,e.system_cpu,i.system_cpu%');
    expect(chosenColumns('e.cpu,what is this')).toBeUndefined();
    expect(chosenColumns('')).toBeUndefined();
  });

  test('is one metric unless chosen otherwise', () => {
    expect(tableMetrics(null, null, metrics)).toBe('e.cpu,e.cpu%,i.cpu,i.cpu%,e.system_cpu,i.system_cpu');
    expect(tableMetrics(null, 'system_cpu', metrics)).toBe('e.system_cpu,e.system_cpu%,i.system_cpu,i.system_cpu%');
    expect(tableMetrics('i.cpu', 'system_cpu', metrics)).toBe('i.cpu');
    expect(tableMetrics(null, null, [])).toBeNull();
    expect(defaultColumns(undefined, metrics, true)).toEqual([]);
  });

  test('is attributed in callers-callees, each metric once', () => {
    expect(attributedMetrics('e.cpu,e.cpu%,i.cpu,i.cpu%,e.system_cpu')).toBe('a.cpu,a.cpu%,a.system_cpu');
    expect(attributedMetrics(null)).toBeNull();
  });
});
