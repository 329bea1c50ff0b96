// Texts of findings, notes and guides, with code spans.
import { For, type JSX, Show } from 'solid-js';
import { codeParts } from '../format/code_spans';

/** Text with code spans. All of it is shown as text, never as markup. */
export function Words(props: { of: string }): JSX.Element {
  return (
    <For each={codeParts(props.of)}>
      {({ text, isCode }) => (
        <Show when={isCode} fallback={text}>
          {<code>{text}</code>}
        </Show>
      )}
    </For>
  );
}
