// The time range that the timeline shows. The address contains it. While the user zooms or pans, the range changes with
// every frame, and the address gets one step when the movement has ended.
import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from 'solid-js';
import type { App } from '../../app';
import type { TimeRange } from '../../canvas/time_axis';
import { rangeWithin } from '../../canvas/time_window';

const FROM = 'timeline.from';
const TO = 'timeline.to';
/** A movement has ended after this pause. It is longer than the pause before a held key repeats. */
const PAUSE_MS = 600;

export interface ShownRange {
  /** The range on the screen. */
  readonly range: Accessor<TimeRange>;
  readonly wholeNs: Accessor<number>;
  readonly isWhole: Accessor<boolean>;
  /** Shows a range as a part of a movement. */
  move(range: TimeRange): void;
  /** Shows a range at once, as a step of the history. */
  show(range: TimeRange): void;
}

/** The options of a shown range. */
export function rangeOptions({ fromNs, toNs }: TimeRange, wholeNs: number): Record<string, string> {
  const isWhole = fromNs <= 0 && toNs >= wholeNs;
  return isWhole ? { [FROM]: '', [TO]: '' } : { [FROM]: String(fromNs), [TO]: String(toNs) };
}

export function createShownRange(app: App): ShownRange {
  const wholeNs = () => app.experiment()?.duration_ns ?? 0;
  const stored = createMemo<TimeRange>(() => {
    const from = Number(app.state.options[FROM] || 0);
    const to = Number(app.state.options[TO] || wholeNs());
    return to > from ? rangeWithin(from, to - from, wholeNs()) : { fromNs: 0, toNs: wholeNs() };
  });
  const [moving, setMoving] = createSignal<TimeRange>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const show = (next: TimeRange): void => {
    clearTimeout(timer);
    app.navigate({ options: { ...app.state.options, ...rangeOptions(next, wholeNs()) } });
    setMoving(undefined);
  };
  const range = createMemo(() => moving() ?? stored());
  return {
    range,
    wholeNs,
    isWhole: () => range().fromNs <= 0 && range().toNs >= wholeNs(),
    show,
    move(next) {
      setMoving(next);
      clearTimeout(timer);
      timer = setTimeout(() => show(next), PAUSE_MS);
    },
  };
}

/**
 * A value for requests. It follows `newest`, but it does not change before the answer to the last request has arrived. So
 * a movement does not cancel its own requests.
 */
export function createRequested<Value>(newest: Accessor<Value>): {
  requested: Accessor<Value>;
  follow(isLoading: Accessor<boolean>): void;
} {
  const [requested, setRequested] = createSignal(newest());
  const follow = (isLoading: Accessor<boolean>) =>
    createEffect(() => {
      const value = newest();
      if (!isLoading()) setRequested(() => value);
    });
  return { requested, follow };
}
