import { expect, test } from 'vitest';
import { timeOnAxis } from './numbers';
import { typedTime } from './typed_time';

test('a typed time is in seconds, or has units', () => {
  const typed = ['12.3', '12.3 s', ' 12.3s ', '.5', '300 ms', '2 min 5 s', '1 h 2 min', '0'];
  expect(typed.map(typedTime)).toEqual([12.3e9, 12.3e9, 12.3e9, 0.5e9, 0.3e9, 125e9, 3720e9, 0]);
});

test('each time of the axis can be typed', () => {
  const times = [125e9, 1.250003e9, 12.34e9, 300e9, 3720e9];
  const texts = [timeOnAxis(125e9, 1e9), timeOnAxis(1.250003e9, 1e3), ...times.slice(2).map((ns) => timeOnAxis(ns, 10e6))];
  expect(texts.map(typedTime)).toEqual(times);
});

test('other texts are no times', () => {
  for (const text of ['', 's', '12,3', '1.2.3', '-1', '5 apples', '1 2', '1e9 s']) expect(typedTime(text)).toBeUndefined();
});
