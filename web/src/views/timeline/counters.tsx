// Counters over time as small lines above the threads: memory, garbage collection, what the program printed.
import { createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { paintCounter, type TimelinePalette } from '../../canvas/timeline_painter';
import { readable } from '../../format/numbers';
import type { TimelineAnswer } from '.';

const HEIGHT = 28;

export function Counters(props: {
  readonly answer: TimelineAnswer | undefined;
  readonly palette: TimelinePalette;
}): JSX.Element {
  const counters = createMemo(() => {
    const { answer } = props;
    const values = answer?.arrays.counters as Float32Array | undefined;
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
  readonly values: Float32Array;
  readonly palette: TimelinePalette;
}): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const highest = createMemo(() => props.values.reduce((most, value) => (value > most ? value : most), 0));
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
      <span class="counter-name">{props.name.replace(/_/g, ' ')}</span>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${props.name} over time, at most ${readable(highest(), props.unit)}`}
        style={{ height: `${HEIGHT}px` }}
      />
      <span class="counter-most">≤ {readable(highest(), props.unit)}</span>
    </div>
  );
}
