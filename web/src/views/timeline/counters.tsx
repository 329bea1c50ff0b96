// Counters over time as small lines above the threads: memory, garbage collection, values that the program printed.
import { createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { paintCounter, type TimelinePalette } from '../../canvas/timeline_painter';
import type { TimelineAnswer } from '../../engine/pictures';
import { amountOf, titleOfCounter, unitOf } from './counter_words';

const HEIGHT = 28;

export function Counters(props: { readonly answer: TimelineAnswer | undefined; readonly palette: TimelinePalette }): JSX.Element {
  const counters = createMemo(() => {
    const { answer } = props;
    const values = answer?.arrays.counters;
    if (!answer || !values) return [];
    const { bins } = answer.header;
    const all = answer.header.counters.map((counter, index) => ({
      ...counter,
      values: values.subarray(index * bins, (index + 1) * bins),
    }));
    return all.filter((counter) => counter.values.some((value) => value > 0));
  });
  return (
    <Show when={counters().length > 0}>
      <details class="counters" open>
        <summary>Counters</summary>
        <For each={counters()}>{(counter) => <Counter {...counter} palette={props.palette} />}</For>
      </details>
    </Show>
  );
}

function Counter(props: {
  readonly name: string;
  readonly unit: string;
  readonly is_difference: boolean;
  readonly values: Float32Array;
  readonly palette: TimelinePalette;
}): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const title = createMemo(() => titleOfCounter(props.name));
  const amount = createMemo(() => amountOf(props.values, unitOf(props.unit), props.is_difference));
  createEffect(() => {
    const width = canvas.clientWidth;
    const scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = HEIGHT * scale;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    paintCounter(context, props.values, { width, top: 2, height: HEIGHT - 4 }, props.palette.counter);
  });
  return (
    <div class="counter">
      <span class="counter-name">{title()}</span>
      <canvas ref={canvas} role="img" aria-label={`${title()} over time, ${amount()}`} style={{ height: `${HEIGHT}px` }} />
      <span class="counter-amount">{amount()}</span>
    </div>
  );
}
