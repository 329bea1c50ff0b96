// The marks of a time axis, with their times.
import { For, type JSX } from 'solid-js';
import { axisMarks, type TimeAxis, timeToX } from './time_axis';

/** Widest text of a mark in pixels. */
const WIDEST_TEXT_PX = 56;

/** The marks, `left` pixels from the edge. A mark too near to the end of the axis has its text on its left side. */
export function TimeMarks(props: {
  readonly axis: TimeAxis;
  readonly left: number;
  readonly text: (timeNs: number) => string;
}): JSX.Element {
  return (
    <For each={axisMarks(props.axis)}>
      {(mark) => {
        const x = () => timeToX(mark, props.axis);
        return (
          <span
            class="timeline-mark"
            classList={{ 'is-at-end': x() + WIDEST_TEXT_PX > props.axis.width }}
            style={{ left: `${props.left + x()}px` }}
          >
            {props.text(mark)}
          </span>
        );
      }}
    </For>
  );
}
