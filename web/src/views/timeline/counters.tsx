// Counters over time as small lines above the threads: memory, garbage collection, values that the program printed.
import { createEffect, createMemo, Index, type JSX, Show } from 'solid-js';
import { sizedContext } from '../../canvas/sizes';
import type { TimeAxis } from '../../canvas/time_axis';
import { paintCounter, type TimelinePalette } from '../../canvas/timeline_painter';
import type { TimelineAnswer } from '../../engine/pictures';
import { CounterMenu, useShownCounters } from './counter_menu';
import { byUse } from './counter_order';
import { axisTop, titleOfCounter, totalOf, unitOf } from './counter_words';

const HEIGHT = 32;
/** Pixels above and below a line. */
const GAP = 2;

export function Counters(props: {
  readonly answer: TimelineAnswer | undefined;
  /** The whole run, which decides which counters are shown. */
  readonly whole: TimelineAnswer | undefined;
  readonly axis: TimeAxis;
  readonly palette: TimelinePalette;
}): JSX.Element {
  const uses = createMemo(() => byUse(props.whole));
  const shown = useShownCounters(uses);
  const counters = createMemo(() => {
    const { answer } = props;
    const values = answer?.arrays.counters;
    if (!answer || !values) return [];
    const { counters, bins, from_ns: fromNs, bin_ns: binNs } = answer.header;
    const indices = shown().map((name) => counters.findIndex((counter) => counter.name === name));
    return indices
      .filter((index) => index >= 0)
      .map((index) => ({ ...counters[index]!, fromNs, binNs, values: values.subarray(index * bins, (index + 1) * bins) }));
  });
  return (
    <Show when={uses().some((use) => !use.isZero)}>
      <details class="counters" open>
        <summary>Counters</summary>
        <CounterMenu uses={uses()} shown={shown()} />
        <Index each={counters()}>{(counter) => <Counter {...counter()} axis={props.axis} palette={props.palette} />}</Index>
      </details>
    </Show>
  );
}

function Counter(props: {
  readonly name: string;
  readonly unit: string;
  readonly is_difference: boolean;
  readonly values: Float32Array;
  readonly fromNs: number;
  readonly binNs: number;
  readonly axis: TimeAxis;
  readonly palette: TimelinePalette;
}): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const title = createMemo(() => titleOfCounter(props.name));
  const unit = () => unitOf(props.unit);
  const top = createMemo(() => axisTop(props.values, unit(), props.is_difference, props.binNs));
  const total = createMemo(() => totalOf(props.values, unit(), props.is_difference));
  createEffect(() => {
    const { axis, palette } = props;
    const context = sizedContext(canvas, { width: axis.width, height: HEIGHT });
    if (!context) return;
    context.fillStyle = palette.background;
    context.fillRect(0, 0, axis.width, HEIGHT);
    context.fillStyle = palette.line;
    context.fillRect(0, HEIGHT - GAP, axis.width, 1);
    paintCounter(context, props, { axis, top: GAP, height: HEIGHT - 2 * GAP }, palette.counter);
  });
  return (
    <div class="counter">
      <span class="counter-name" title={title()}>
        {title()}
      </span>
      <span class="counter-axis">
        {top()}
        <br />0
      </span>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${title()} over time: 0 to ${top()}${total() ? `, ${total()}` : ''}`}
        style={{ width: `${props.axis.width}px`, height: `${HEIGHT}px` }}
      />
      <span class="counter-amount">{total()}</span>
    </div>
  );
}
