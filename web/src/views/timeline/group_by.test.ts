import { expect, it } from 'vitest';
import type { TimelineThread } from '../../engine/answers';
import { hasUngrouped } from './group_by';

it('finds rows outside of groups', () => {
  const row = (depth: number, is_group: boolean, is_idle_row = false) => ({ depth, is_group, is_idle_row }) as TimelineThread;
  expect(hasUngrouped(undefined)).toBe(false);
  expect(hasUngrouped({ threads: [row(0, true), row(1, false), row(0, false, true)] })).toBe(false);
  expect(hasUngrouped({ threads: [row(0, false), row(0, false, true)] })).toBe(true);
});
