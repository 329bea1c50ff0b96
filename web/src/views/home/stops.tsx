// The stops of the JVM, in the head of the overview: how many there were, how long they took, and a link to the longest one.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { OverviewView, PauseFigures } from '../../engine/answers';
import { longestWords, showStop, stopsOf, stopsWords } from './stops_words';

export function Stops(props: { of: OverviewView }): JSX.Element {
  return (
    <Show when={stopsOf(props.of)}>
      {(stops) => (
        <p class="home-stops">
          {stopsWords(stops())} <LongestStop of={stops()} wholeNs={props.of.duration_ns} />
        </p>
      )}
    </Show>
  );
}

/** The longest stop. Its time and cause are in another answer, which is requested after the overview has arrived. */
function LongestStop(props: { of: PauseFigures; wholeNs: number }): JSX.Element {
  const app = useApp();
  // With a single bin, the lane has only the longest stop of the run. The engine of report files has no lanes.
  const asked = app.askBinary(() => (app.engine.kind === 'server' ? { ...app.query('lanes'), filter: null, bins: 1 } : null));
  const longest = () => asked.answer()?.header.stops?.longest[0];
  return (
    <Show when={longest()} fallback={`${longestWords(props.of.longest_ns)}.`}>
      {(stop) => (
        <a class="link" href={app.href(showStop(stop(), app.state.options, props.wholeNs))}>
          {longestWords(stop().end_ns - stop().start_ns, stop())}
        </a>
      )}
    </Show>
  );
}
