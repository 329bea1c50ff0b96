// The headline above the stack of a moment.
import type { StackAtView } from '../../engine/answers';
import { readable } from '../../format/numbers';

type Sampled = Pick<StackAtView, 'event' | 'mode' | 'reason' | 'start_ns' | 'time_ns'>;

const EVENT_WORDS: Readonly<Record<string, string>> = { cpu: 'on-CPU', off_cpu: 'off-CPU' };

/**
 * `At 24.1 s: off-CPU, in system mode, waiting: socket, from 22.4 s to 26 s`. If no sample covers the moment, the headline
 * says that the stack is of another time. If the length of the sampled wait is unknown, the headline only says when the sample was
 * taken: `Near 24.1 s: off-CPU, in system mode, waiting: socket, sampled at 26 s`.
 */
export function headlineOf({ event, mode, reason, start_ns, time_ns }: Sampled, askedNs: number): string {
  const time = (ns: number) => readable(ns, 'nanoseconds');
  const facts = [EVENT_WORDS[event] ?? event.replaceAll('_', ' ')];
  if (mode !== 'unknown') facts.push(`in ${mode} mode`);
  if (reason !== 'none') facts.push(`waiting: ${reason.replaceAll('_', ' ')}`);
  if (start_ns === null) return `Near ${time(askedNs)}: ${[...facts, `sampled at ${time(time_ns)}`].join(', ')}`;
  if (time(start_ns) !== time(time_ns)) facts.push(`from ${time(start_ns)} to ${time(time_ns)}`);
  if (askedNs >= start_ns && askedNs <= time_ns) return `At ${time(askedNs)}: ${facts.join(', ')}`;
  const nearest = askedNs < start_ns ? start_ns : time_ns;
  return `No sample at ${time(askedNs)}. The nearest, at ${time(nearest)}: ${facts.join(', ')}`;
}
