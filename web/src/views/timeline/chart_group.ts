// Which threads a stack chart shows, as a short text for the URL. The functions are pure.
//
//   12        the thread in row 12 of the table of threads
//   pool.12   the pool of this thread
//   idle      the row of idle threads
//   group.X   the row of the group X
//   all       all threads that the filter and the search keep
import type { TimelineThread } from '../../engine/answers';

/** A row of the timeline, a thread, or all threads. */
export type Charted =
  | 'all'
  | (Pick<TimelineThread, 'thread'> & Partial<Pick<TimelineThread, 'name' | 'is_pool' | 'is_idle_row' | 'is_group'>>);

export function chartText(of: Charted): string {
  if (of === 'all') return of;
  if (of.is_idle_row) return 'idle';
  if (of.is_group) return `group.${of.name}`;
  return of.is_pool ? `pool.${of.thread}` : String(of.thread);
}

/** The keys of the request. Undefined: the text is empty or invalid. */
export function chartKeys(text: string): { group: string; thread?: number; group_name?: string } | undefined {
  if (text.startsWith('group.')) return { group: 'group', group_name: text.slice(6) };
  const [, pool, thread, group] = /^(?:(pool\.)?(\d{1,9})|(idle|all))$/.exec(text) ?? [];
  if (thread !== undefined) return { group: pool ? 'pool' : 'thread', thread: Number(thread) };
  return group === undefined ? undefined : { group };
}
