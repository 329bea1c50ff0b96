import { expect, test } from 'vitest';
import { cores, gained, money } from './cost';

test('cores have the digits of the command line', () => {
  expect([1.9724, 0, -0.5].map(cores)).toEqual(['1.972', '0.000', '\u22120.500']);
});

test('money is whole, unless there is little of it', () => {
  expect([1020.4, 84.1, 9.996, 4.3, 4, 0, 0.001, -1020.4].map(money)).toEqual([
    '1,020',
    '84',
    '10',
    '4.30',
    '4',
    '0',
    '0.00',
    '\u22121,020',
  ]);
  expect([4.3, -4.3, 0, 0.001].map((value) => gained(money(value)))).toEqual(['+4.30', '\u22124.30', '0', '0.00']);
});
