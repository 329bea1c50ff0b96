// The edge between the names and the strips. The user drags it, or moves it with the arrow keys.
import type { JSX } from 'solid-js';

/** Pixels by which an arrow key moves the edge. */
const STEP = 16;

export function NameDivider(props: {
  readonly width: number;
  /** Called with the new width; `isDone` is true at the end of a movement. */
  readonly onWidth: (width: number, isDone: boolean) => void;
}): JSX.Element {
  const startDrag = (down: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (down.button !== 0) return;
    const edge = down.currentTarget;
    const offset = props.width - down.clientX;
    edge.setPointerCapture(down.pointerId);
    const drag = (event: PointerEvent) => props.onWidth(event.clientX + offset, false);
    const end = (event: PointerEvent): void => {
      edge.removeEventListener('pointermove', drag);
      edge.removeEventListener('pointerup', end);
      edge.removeEventListener('pointercancel', end);
      props.onWidth(event.clientX + offset, true);
    };
    edge.addEventListener('pointermove', drag);
    edge.addEventListener('pointerup', end);
    edge.addEventListener('pointercancel', end);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    props.onWidth(props.width + step, true);
  };
  return (
    <div
      class="name-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuenow={props.width}
      style={{ left: `${props.width - 3}px` }}
      onPointerDown={startDrag}
      onKeyDown={press}
    />
  );
}
