// The texts of stops and requests in the lanes of the timeline. The functions are pure.
import type { Details } from '../../app';
import type { LaneRequest, LaneStop } from '../../engine/answers';
import { counted, readable } from '../../format/numbers';
import { timeInRun } from '../../format/times';

/** Distance of two times that the texts distinguish. Stops and requests can be shorter than a millisecond. */
const STEP_NS = 1e5;

const lengthOf = ({ start_ns, end_ns }: { start_ns: number; end_ns: number }) => readable(end_ns - start_ns, 'nanoseconds');
const timesOf = ({ start_ns, end_ns }: { start_ns: number; end_ns: number }) =>
  `${timeInRun(start_ns, STEP_NS)} to ${timeInRun(end_ns, STEP_NS)}`;

export function detailsOfStop(stop: LaneStop): Details {
  const reaching = readable(stop.reaching_ns, 'nanoseconds');
  return {
    name: stop.name,
    facts: [stop.kind === 'gc_pause' ? 'pause of the collector' : 'safepoint', 'stops all threads'],
    values: [
      ['Length', lengthOf(stop)],
      ['Time', timesOf(stop)],
      ...(stop.reaching_ns > 0 ? [['Until all threads had stopped', reaching] as const] : []),
    ],
  };
}

export function detailsOfRequest(request: LaneRequest): Details {
  return {
    name: request.name,
    facts: [
      ...(request.requests_count > 1 ? [`mean of ${counted(request.requests_count, 'request')}`] : ['longest request here']),
      ...(request.thread_name === '' ? [] : [request.thread_name]),
    ],
    values: [
      ['Length', lengthOf(request)],
      ['Time', timesOf(request)],
    ],
  };
}

/** The details as one text for screen readers. */
export function spoken({ name, facts = [], values = [] }: Details): string {
  return [name, ...values.map(([title, value]) => `${title} ${value}`), ...facts].join(', ');
}
