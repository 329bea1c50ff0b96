// The critical path: a bar of what threads and those that they waited for did.
import { For, type JSX, Show } from 'solid-js';
import type { PathKind, PathPart } from '../../engine/answers';
import { readable, roughPercent } from '../../format/numbers';
import { ShareBar } from '../../parts/share_bar';
import { stateColour } from '../../theme/colours';
import './critical_path.css';

/** What is not a state of a thread is a pattern. Other threads have stripes in the colour of their state. */
const stripes = (colour: string) => `repeating-linear-gradient(45deg, ${colour} 0 4px, var(--paper-3) 4px 6px)`;

const COLOURS: Record<PathKind, string> = {
  executing: stateColour('user'),
  runnable: stateColour('run_queue'),
  others_executing: stripes(stateColour('user')),
  others_runnable: stripes(stateColour('run_queue')),
  socket: stateColour('socket'),
  disk: stateColour('file'),
  sleep: stateColour('sleep'),
  other: stateColour('other'),
  other_thread: stateColour('futex'),
  unknown: 'repeating-linear-gradient(135deg, var(--ink-3) 0 1px, var(--paper-3) 1px 5px)',
};

export function CriticalPath(props: { parts: readonly PathPart[] }): JSX.Element {
  const bar = () =>
    props.parts.map((part) => ({
      colour: COLOURS[part.kind],
      ratio: part.ratio,
      text: `${part.words} ${roughPercent(part.ratio)}, ${readable(part.duration_ns, 'nanoseconds')}`,
    }));
  return (
    <Show when={props.parts.length > 0}>
      <figure class="critical-path">
        <figcaption title="The time of the selected threads, in which each wait for a thread is replaced by what that thread did meanwhile">
          Critical path
        </figcaption>
        <ShareBar parts={bar()} />
        <ul class="legend">
          <For each={bar()}>
            {(part) => (
              <li>
                <span style={{ background: part.colour }} />
                {part.text}
              </li>
            )}
          </For>
        </ul>
      </figure>
    </Show>
  );
}
