// The stack of a thread at a selected moment, leaf first. If there is no sample, the stack of the nearest sample.

import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { StackChartButton } from './stack_chart';
import { headlineOf } from './stack_headline';

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
            {(stack) => <b>{headlineOf(stack(), Number(asked.asked()?.time_ns))}</b>}
          </Show>
          <Show when={props.moment}>{(moment) => <StackChartButton of={{ thread: moment().thread }} />}</Show>
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
