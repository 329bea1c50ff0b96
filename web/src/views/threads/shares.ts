// The time of a thread as shares of its observed time.
import type { ThreadRow } from '../../engine/answers';
import { readable, roughPercent } from '../../format/numbers';
import { STATE_COLOURS } from '../../theme/colours';

export interface Share {
  /** A name of `STATE_COLOURS`. */
  state: string;
  /** 0 to 1 */
  ratio: number;
  text: string;
}

/** User, system and run queue come first, then waits, the longest first. Empty if the kernel counted nothing. */
export function sharesOf(row: ThreadRow): Share[] {
  const waits = Object.entries(row.blocked_by_reason_ns).sort(([, left], [, right]) => right - left);
  const spent: (readonly [string, number])[] = [
    ['user', row.exact_user_cpu_ns ?? 0],
    ['system', row.exact_system_cpu_ns ?? 0],
    ['run_queue', row.run_queue_ns ?? 0],
    ...waits,
  ];
  const whole = spent.reduce((sum, [, ns]) => sum + ns, 0);
  if (whole === 0 || row.blocked_ns === null) return [];
  return spent
    .filter(([, ns]) => ns > 0)
    .map(([state, ns]) => {
      const title = STATE_COLOURS[state]?.title ?? state;
      return { state, ratio: ns / whole, text: `${title} ${readable(ns, 'nanoseconds')} (${roughPercent(ns / whole)})` };
    });
}
