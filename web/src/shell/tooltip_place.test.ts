import { expect, test } from 'vitest';
import { tooltipPlace } from './tooltip_place';

const WINDOW = { width: 1280, height: 800 };

test('the tooltip is next to the pointer, and inside the window', () => {
  expect(tooltipPlace({ x: 100, y: 100 }, WINDOW, 420)).toEqual({ left: 116, top: 116 });
  expect(tooltipPlace({ x: 1200, y: 700 }, WINDOW, 420)).toEqual({ left: 852, bottom: 116 });
  expect(tooltipPlace({ x: 200, y: 100 }, { width: 390, height: 800 }, 420)).toEqual({ left: 8, top: 116 });
});
