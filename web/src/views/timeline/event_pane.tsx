// The stop or the request that the user selected in a lane: its details, and a button that filters all views by it.
import { For, type JSX, Show } from 'solid-js';
import { type Details, useApp } from '../../app';
import type { TimeRange } from '../../canvas/time_axis';
import { type NamedThread, withThread, withTimeRange } from '../../state/filter_parts';

export interface LaneEvent {
  /** What it is: `Stop of the JVM`. */
  readonly title: string;
  readonly details: Details;
  readonly range: TimeRange;
  /** The thread of a request. Undefined: the event is about all threads. */
  readonly thread?: NamedThread;
}

export function EventPane(props: { readonly event: LaneEvent | undefined; readonly onClose: () => void }): JSX.Element {
  const app = useApp();
  const showOnly = ({ range, thread }: LaneEvent): void => {
    const inTime = withTimeRange(app.state.filter, { from_ns: range.fromNs, to_ns: range.toNs });
    app.navigate({ filter: thread ? withThread(inTime, thread) : inTime });
  };
  return (
    <Show when={props.event}>
      {(event) => (
        <aside class="stack-pane" aria-label={event().title}>
          <header>
            <b>{event().details.name}</b>
            <button type="button" class="button" onClick={() => showOnly(event())}>
              {event().thread ? 'Show only this time and thread' : 'Show only this time'}
            </button>
            <button type="button" aria-label="Close the details" onClick={() => props.onClose()}>
              ✕
            </button>
          </header>
          <p class="event-values">
            <For each={event().details.values}>
              {([title, value]) => (
                <span>
                  <span class="dim">{title}</span> {value}
                </span>
              )}
            </For>
            <For each={event().details.facts}>{(fact) => <span class="dim">{fact}</span>}</For>
          </p>
        </aside>
      )}
    </Show>
  );
}
