import { expect, it } from 'vitest';
import { chosenWidth, columnWidth, middleCut } from './name_column';

it('is as wide as the longest name, within limits', () => {
  expect(columnWidth([30, 200], 1200)).toBe(256);
  expect(columnWidth([], 1200)).toBe(160);
  expect(columnWidth([900], 1200)).toBe(360);
  expect(columnWidth([900], 390)).toBe(156);
  expect([10, 300, 900].map((width) => chosenWidth(width, 800))).toEqual([60, 300, 680]);
});

it('cuts names in the middle, because their ends differ', () => {
  const widthOf = (text: string) => text.length;
  expect(middleCut('http-nio-8080-exec-17', 21, widthOf)).toBe('http-nio-8080-exec-17');
  expect(middleCut('http-nio-8080-exec-17', 12, widthOf)).toBe('http…exec-17');
  expect(middleCut('http-nio-8080-exec-17', 1, widthOf)).toBe('…7');
});
