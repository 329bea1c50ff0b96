import { expect, test } from 'vitest';
import { frameworkKeys, withOpened } from './framework_frames';

test('folded frames are opened one by one, or all', () => {
  expect(frameworkKeys(undefined)).toEqual({ frameworks: 'folded', opened: [] });
  expect(frameworkKeys('shown')).toEqual({ frameworks: 'shown', opened: [] });
  const two = withOpened(withOpened('', 40), 7);
  expect(two).toBe('14.7');
  expect(frameworkKeys(two)).toEqual({ frameworks: 'folded', opened: [40, 7] });
  expect(withOpened(two, 40)).toBe('7.14');
});
