// The sample nearest to a selected moment of a thread, with its stack, leaf first.

import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { StackAtView } from '../../engine/answers';
import { readable } from '../../format/numbers';

export function StackPane(props: {
  readonly moment: { thread: number; timeNs: number } | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const app = useApp();
  const asked = app.ask(() => {
    const { moment } = props;
    return moment ? { ...app.query('stack-at'), thread: moment.thread, time_ns: moment.timeNs } : null;
  });
  return (
    <Show when={props.moment}>
      <aside class="stack-pane" aria-label="Stack">
        <header>
          <Show when={asked.answer()} fallback={<b>{asked.error()?.message ?? '…'}</b>}>
            {(stack) => <b>{headlineOf(stack())}</b>}
          </Show>
          <button type="button" aria-label="Close the stack" onClick={() => props.onClose()}>
            ✕
          </button>
        </header>
        <ol>
          <For each={[...(asked.answer()?.frames ?? [])].reverse()}>
            {(frame) => (
              <li>
                <button
                  type="button"
                  class="stack-frame"
                  onClick={() => app.select(frame.function)}
                  onContextMenu={(event) => {
                    event.preventDefault();
                    app.openFunctionMenu(frame.function, { x: event.clientX, y: event.clientY }, { kind: frame.kind });
                  }}
                >
                  {frame.function}
                  <Show when={frame.line !== null}>
                    <span class="stack-line">:{frame.line}</span>
                  </Show>
                </button>
              </li>
            )}
          </For>
        </ol>
      </aside>
    </Show>
  );
}

const EVENT_WORDS: Readonly<Record<string, string>> = { cpu: 'on-CPU', off_cpu: 'off-CPU' };

/** `Nearest sample: 16.4 s, on-CPU, in user mode` */
function headlineOf({ event, mode, reason, time_ns }: StackAtView): string {
  const facts = [`Nearest sample: ${readable(time_ns, 'nanoseconds')}`, EVENT_WORDS[event] ?? event.replaceAll('_', ' ')];
  if (mode !== 'unknown') facts.push(`in ${mode} mode`);
  if (reason !== 'none') facts.push(`waiting: ${reason.replaceAll('_', ' ')}`);
  return facts.join(', ');
}
