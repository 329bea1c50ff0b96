import { expect, test } from 'vitest';
import { openPools, withPoolToggled } from './open_pools';

test('pools are opened and closed', () => {
  const one = withPoolToggled(undefined, 4);
  const two = withPoolToggled(one, 120);
  expect([one, two]).toEqual(['4', '4.120']);
  expect(openPools(two)).toEqual([4, 120]);
  expect(withPoolToggled(two, 4)).toBe('120');
  expect(withPoolToggled(one, 4)).toBe('');
});

test('an address can contain any text', () => {
  expect(openPools('')).toEqual([]);
  expect(openPools('x.7.-1.12345678901')).toEqual([7]);
});
