// The stack nearest to a picked moment of a thread, leaf first.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { readable } from '../../format/numbers';

interface StackAt {
  time_ns: number;
  event: string;
  mode: string | null;
  reason: string | null;
  /** In the unit of the event: CPU time, blocked time … */
  weight: number;
  unit?: string;
  frames: { function: string; kind: string; line: number | null }[];
}

export function StackPane(props: {
  readonly moment: { thread: number; timeNs: number } | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const app = useApp();
  const asked = app.ask<StackAt>(() => {
    const { moment } = props;
    return moment ? { ...app.query('stack-at'), thread: moment.thread, time_ns: moment.timeNs } : null;
  });
  const headline = (stack: StackAt) => {
    const facts = [stack.event.replace(/_/g, ' '), stack.mode, stack.reason];
    const known = facts.filter((fact) => fact && fact !== 'none' && fact !== 'unknown');
    return `${known.join(', ')} at ${readable(stack.time_ns, 'nanoseconds')}`;
  };
  return (
    <Show when={props.moment}>
      <aside class="stack-pane" aria-label="Stack">
        <header>
          <Show when={asked.answer()} fallback={<b>{asked.error()?.message ?? '…'}</b>}>
            {(stack) => <b>{headline(stack())}</b>}
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
