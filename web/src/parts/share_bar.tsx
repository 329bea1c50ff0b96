// A horizontal bar that is divided into shares, and the legend of its colours.
import { For, type JSX, Show } from 'solid-js';
import './parts.css';

export interface BarPart {
  /** A CSS value for `background`. */
  colour: string;
  /** 0 to 1 */
  ratio: number;
  /** The part with its value: tooltip, and text for screen readers. */
  text: string;
}

export function ShareBar(props: { parts: readonly BarPart[] }): JSX.Element {
  return (
    <span class="share-bar" role="img" aria-label={props.parts.map((part) => part.text).join(', ')}>
      <For each={props.parts}>
        {(part) => <span style={{ width: `${part.ratio * 100}%`, background: part.colour }} title={part.text} />}
      </For>
    </span>
  );
}

export function Legend(props: { entries: readonly { title: string; colour: string }[] }): JSX.Element {
  return (
    <Show when={props.entries.length > 0}>
      <ul class="legend" aria-label="Colours">
        <For each={props.entries}>
          {(entry) => (
            <li>
              <span style={{ background: entry.colour }} />
              {entry.title}
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
