// The headline above the stack of a moment.
import type { StackAtView } from '../../engine/answers';
import { readable } from '../../format/numbers';
import { millisInRun } from '../../format/times';

type Sampled = Pick<StackAtView, 'event' | 'mode' | 'reason' | 'start_ns' | 'time_ns'>;

const EVENT_WORDS: Readonly<Record<string, string>> = { cpu: 'on-CPU', off_cpu: 'off-CPU' };

/**
 * `At 24.100 s: off-CPU, in system mode, waiting: socket, from 22.400 s to 26.000 s`. If no sample covers the moment, the headline
 * says how far away the nearest sample is: `No sample at 12.306 s. The nearest, 14.0 ms later: …`. If the length of the sampled wait
 * is unknown, the headline only says when the sample was taken: `Near 24.100 s: …, sampled at 26.000 s, 1.90 s later`.
 */
export function headlineOf({ event, mode, reason, start_ns, time_ns }: Sampled, askedNs: number): string {
  const asked = millisInRun(askedNs);
  const facts = [EVENT_WORDS[event] ?? event.replaceAll('_', ' ')];
  if (mode !== 'unknown') facts.push(`in ${mode} mode`);
  if (reason !== 'none') facts.push(`waiting: ${reason.replaceAll('_', ' ')}`);
  if (start_ns === null) {
    const sampled = [`sampled at ${millisInRun(time_ns)}`, ...(time_ns === askedNs ? [] : [awayWords(time_ns - askedNs)])];
    return `Near ${asked}: ${[...facts, ...sampled].join(', ')}`;
  }
  const [from, to] = [millisInRun(start_ns), millisInRun(time_ns)];
  const isAt = askedNs >= start_ns && askedNs <= time_ns;
  if (from !== to) facts.push(`from ${from} to ${to}`);
  else if (!isAt) facts.push(`at ${to}`);
  if (isAt) return `At ${asked}: ${facts.join(', ')}`;
  const nearest = askedNs < start_ns ? start_ns : time_ns;
  return `No sample at ${asked}. The nearest, ${awayWords(nearest - askedNs)}: ${facts.join(', ')}`;
}

/** `14.0 ms later`, or `14.0 ms earlier` for a negative distance. */
function awayWords(distanceNs: number): string {
  return `${readable(Math.abs(distanceNs), 'nanoseconds')} ${distanceNs < 0 ? 'earlier' : 'later'}`;
}
