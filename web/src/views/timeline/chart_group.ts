// Which threads a stack chart shows, as a short text for the URL. The functions are pure.
//
//   12        the thread in row 12 of the table of threads
//   pool.12   the pool of this thread
//   idle      the row of idle threads
//   all       all threads that the filter and the search keep
import type { TimelineThread } from '../../engine/answers';

/** A row of the timeline, a thread, or all threads. */
export type Charted = 'all' | (Pick<TimelineThread, 'thread'> & Partial<Pick<TimelineThread, 'is_pool' | 'is_idle_row'>>);

export function chartText(of: Charted): string {
  if (of === 'all') return of;
  if (of.is_idle_row) return 'idle';
  return of.is_pool ? `pool.${of.thread}` : String(of.thread);
}

/** The keys of the request. Undefined: the text is empty or invalid. */
export function chartKeys(text: string): { group: string; thread?: number } | undefined {
  const [, pool, thread, group] = /^(?:(pool\.)?(\d{1,9})|(idle|all))$/.exec(text) ?? [];
  if (thread !== undefined) return { group: pool ? 'pool' : 'thread', thread: Number(thread) };
  return group === undefined ? undefined : { group };
}
