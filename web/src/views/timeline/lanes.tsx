// Lanes above the threads: when the JVM stopped all threads, and how many requests were in progress. A stop or a request under the
// pointer is marked in all tracks. A click keeps its details.
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { type Details, useApp } from '../../app';
import { eventAfterKey, eventAt, LANE_HEIGHT, type Lane, paintLane, placeOf } from '../../canvas/lane';
import { sizedContext } from '../../canvas/sizes';
import type { TimeAxis, TimeRange } from '../../canvas/time_axis';
import type { LaneRequest, LaneStop } from '../../engine/answers';
import { counted, grouped, mean } from '../../format/numbers';
import { appearance, token } from '../../theme/appearance';
import { STATE_COLOURS } from '../../theme/colours';
import type { LaneEvent } from './event_pane';
import { detailsOfRequest, detailsOfStop, spoken } from './lane_words';
import './lanes.css';
import { createRequested } from './shown_range';

/** Width of a bin in pixels. */
const BIN_PX = 2;

export function Lanes(props: {
  readonly axis: TimeAxis;
  /** Called with the time of the stop or the request under the pointer. */
  readonly onMark: (range: TimeRange | undefined) => void;
  /** Called with the stop or the request that the user selects. */
  readonly onPick: (event: LaneEvent) => void;
}): JSX.Element {
  const app = useApp();
  const { requested, follow } = createRequested(() => props.axis);
  const asked = app.askBinary(() => {
    const { fromNs, toNs, width } = requested();
    const bins = Math.floor(width / BIN_PX);
    return bins > 0 && toNs > fromNs ? { ...app.query('lanes'), from_ns: fromNs, to_ns: toNs, bins } : null;
  });
  follow(asked.isLoading);
  const header = () => asked.answer()?.header;
  const bins = () => ({ fromNs: header()?.from_ns ?? 0, binNs: header()?.bin_ns ?? 1 });
  const arrays = () => asked.answer()?.arrays;
  const stops = () => header()?.stops?.longest ?? [];
  const requests = () => header()?.requests?.longest ?? [];
  const most = createMemo(() =>
    (arrays()?.in_progress ?? new Float32Array()).reduce((most, amount) => Math.max(most, amount), 0),
  );

  const pickStop = (stop: LaneStop) =>
    props.onPick({ title: 'Stop of the JVM', details: detailsOfStop(stop), range: rangeOf(stop) });
  const pickRequest = (request: LaneRequest) => {
    const { thread: row, thread_name: name, has_own_name: hasOwnName } = request;
    const thread = { name, row, hasOwnName, isPool: false };
    props.onPick({ title: 'Request', details: detailsOfRequest(request), range: rangeOf(request), thread });
  };

  return (
    <>
      <Show when={header()?.stops}>
        {(lane) => (
          <LaneStrip
            title="Stops of the JVM"
            hint={`${counted(lane().stops_count, 'time')} all threads were stopped`}
            lane={{
              amount: arrays()?.stopped ?? new Float32Array(),
              longest: arrays()?.longest_stop ?? new Uint32Array(),
              eventCount: stops().length,
              most: 1,
              ...bins(),
            }}
            events={stops()}
            axis={props.axis}
            colourOf={(event) => stateColour(stops()[event]?.kind === 'gc_pause' ? 'gc' : 'stopped')}
            describe={detailsOfStop}
            onSelect={pickStop}
            onMark={props.onMark}
          />
        )}
      </Show>
      <Show when={header()?.requests}>
        {(lane) => (
          <LaneStrip
            title="Requests"
            hint={`${grouped(lane().requests_count)} shown, at most ${mean(most())} at once`}
            lane={{
              amount: arrays()?.in_progress ?? new Float32Array(),
              longest: arrays()?.longest_request ?? new Uint32Array(),
              eventCount: requests().length,
              most: most(),
              ...bins(),
            }}
            events={requests()}
            axis={props.axis}
            colourOf={() => token('--accent')}
            describe={detailsOfRequest}
            onSelect={pickRequest}
            onMark={props.onMark}
          />
        )}
      </Show>
    </>
  );
}

interface LaneStripProps<Event extends Timed> {
  readonly title: string;
  /** What the lane shows, in words. */
  readonly hint: string;
  readonly lane: Lane;
  /** The longest events of the bins. */
  readonly events: readonly Event[];
  readonly axis: TimeAxis;
  readonly colourOf: (event: number) => string;
  readonly describe: (event: Event) => Details;
  readonly onSelect: (event: Event) => void;
  readonly onMark: (range: TimeRange | undefined) => void;
}

/** One lane. It has one tab stop, and arrow keys go from event to event. */
function LaneStrip<Event extends Timed>(props: LaneStripProps<Event>): JSX.Element {
  const app = useApp();
  let canvas!: HTMLCanvasElement;
  const [cursor, setCursor] = createSignal<number>();
  const id = () => `lane-${props.title.replaceAll(' ', '-')}`;

  const show = (event: number | undefined): void => {
    const shown = event === undefined ? undefined : props.events[event];
    app.showDetails(shown ? props.describe(shown) : null);
    props.onMark(shown && rangeOf(shown));
  };
  const select = (event: number | undefined): void => {
    const chosen = event === undefined ? undefined : props.events[event];
    if (chosen) props.onSelect(chosen);
  };
  const eventUnder = (event: MouseEvent) => eventAt(props.lane, event.clientX - canvas.getBoundingClientRect().left, props.axis);

  // The numbers of events are those of one answer.
  createEffect(
    on(
      () => props.events,
      () => setCursor(undefined),
      { defer: true },
    ),
  );
  onCleanup(() => props.onMark(undefined));
  createEffect(() => {
    const { lane, axis, colourOf } = props;
    const context = sizedContext(canvas, { width: axis.width, height: LANE_HEIGHT });
    if (context) paintLane(context, lane, axis, { background: token('--paper'), colourOf });
  });

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = eventAfterKey(event.key, cursor(), props.events.length);
    if (next !== undefined) {
      setCursor(next);
      show(next);
    } else if ((event.key === 'Enter' || event.key === ' ') && cursor() !== undefined) {
      select(cursor());
    } else return;
    event.preventDefault();
  };

  return (
    <div
      class="lane activity"
      style={{ height: `${LANE_HEIGHT}px` }}
      tabIndex={0}
      role="listbox"
      aria-label={`${props.title}: ${props.hint}. Arrow keys move. Enter keeps the details`}
      aria-activedescendant={id()}
      onKeyDown={press}
      onFocus={() => show(cursor())}
      onBlur={() => show(undefined)}
    >
      <span class="activity-name" title={props.hint}>
        {props.title}
      </span>
      <canvas
        ref={canvas}
        aria-hidden="true"
        style={{ width: `${props.axis.width}px`, height: `${LANE_HEIGHT}px` }}
        onMouseMove={(event) => show(eventUnder(event))}
        onMouseLeave={() => show(undefined)}
        onClick={(event) => select(eventUnder(event))}
      />
      <span id={id()} class="off-screen" role="option" aria-selected={cursor() !== undefined}>
        {cursor() === undefined ? props.hint : spoken(props.describe(props.events[cursor()!]!))}
      </span>
    </div>
  );
}

/** A band through all tracks: the time of the stop or the request under the pointer. */
export function TrackBand(props: { readonly range: TimeRange | undefined; readonly axis: TimeAxis }): JSX.Element {
  const place = () => props.range && placeOf(props.range, props.axis);
  return (
    <Show when={place()}>
      {(place) => (
        <div class="track-bands" aria-hidden="true">
          <div class="track-band" style={{ left: `${place().left}px`, width: `${place().width}px` }} />
        </div>
      )}
    </Show>
  );
}

/** What happened between two times. */
interface Timed {
  readonly start_ns: number;
  readonly end_ns: number;
}

/** The time of an event. A filter needs a range that is not empty. */
function rangeOf({ start_ns, end_ns }: Timed): TimeRange {
  return { fromNs: start_ns, toNs: Math.max(end_ns, start_ns + 1) };
}

function stateColour(state: string): string {
  return STATE_COLOURS[state]?.[appearance()] ?? token('--ink-3');
}
