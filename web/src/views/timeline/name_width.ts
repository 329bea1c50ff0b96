// The width of the column of names: what the user chose, otherwise the width of the longest name.
import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { App } from '../../app';
import { chosenWidth, columnWidth } from '../../canvas/name_column';

const WIDTH = 'timeline.names';

export interface NameWidth {
  readonly width: Accessor<number>;
  /** The width of a text in the column's font. */
  measure(text: string): number;
  change(width: number, isDone: boolean): void;
}

export function createNameWidth(app: App, names: Accessor<readonly string[]>, viewWidth: Accessor<number>): NameWidth {
  const [moving, setMoving] = createSignal<number>();
  const measure = createMeasure();
  // The column never becomes narrower while the user scrolls to threads with shorter names.
  const longest = createMemo<number>((before) => Math.max(before, ...names().map(measure)), 0);
  const width = createMemo(() => {
    const chosen = moving() ?? Number(app.state.options[WIDTH] || 0);
    return chosen > 0 ? chosenWidth(chosen, viewWidth()) : columnWidth([longest()], viewWidth());
  });
  return {
    width,
    measure,
    change(newWidth, isDone) {
      const chosen = chosenWidth(newWidth, viewWidth());
      setMoving(isDone ? undefined : chosen);
      if (isDone) app.navigate({ options: { ...app.state.options, [WIDTH]: String(chosen) } }, { replace: true });
    },
  };
}

/** Measures texts in the page's font. */
function createMeasure(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  if (context) context.font = `${fontSize} ${fontFamily}`;
  const widths = new Map<string, number>();
  return (text) => {
    const known = widths.get(text) ?? context?.measureText(text).width ?? 0;
    widths.set(text, known);
    return known;
  };
}
