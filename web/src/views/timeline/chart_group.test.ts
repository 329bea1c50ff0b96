import { expect, it } from 'vitest';
import { chartKeys, chartText } from './chart_group';

it('names threads, pools, idle threads and all threads', () => {
  expect(chartText({ thread: 12 })).toBe('12');
  expect(chartText({ thread: 12, is_pool: false, is_idle_row: false })).toBe('12');
  expect(chartText({ thread: 12, is_pool: true, is_idle_row: false })).toBe('pool.12');
  expect(chartText({ thread: 12, is_pool: false, is_idle_row: true })).toBe('idle');
  expect(chartText({ thread: 12, name: 'org.apache.kafka', is_group: true })).toBe('group.org.apache.kafka');
  expect(chartText('all')).toBe('all');
});

it('reads what it wrote', () => {
  expect(chartKeys('12')).toEqual({ group: 'thread', thread: 12 });
  expect(chartKeys('pool.12')).toEqual({ group: 'pool', thread: 12 });
  expect(chartKeys('idle')).toEqual({ group: 'idle' });
  expect(chartKeys('all')).toEqual({ group: 'all' });
  expect(chartKeys('group.native code')).toEqual({ group: 'group', group_name: 'native code' });
});

it('ignores an invalid text', () => {
  for (const text of ['', 'pool', 'pool.', 'pool.x', '-1', '1234567890', 'all.3', 'idle ', '12pool']) {
    expect(chartKeys(text), text).toBeUndefined();
  }
});
