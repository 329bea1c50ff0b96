// The widths that the contents of a table need. Tables with the same columns, one above the other, share them, so that the
// columns are aligned.
import { type Accessor, createSignal, type Setter } from 'solid-js';

export interface TableSpace {
  /** Widths in pixels, by key of column. */
  needs: Accessor<Readonly<Record<string, number>>>;
  /** Remembers wider contents. Widths never shrink, so columns keep their place while rows change. */
  widen(found: Readonly<Record<string, number>>): void;
  /** Whether the user wants all columns, even if the table is wider than the window. */
  isAll: Accessor<boolean>;
  setAll: Setter<boolean>;
}

export function createTableSpace(): TableSpace {
  const [needs, setNeeds] = createSignal<Readonly<Record<string, number>>>({});
  const [isAll, setAll] = createSignal(false);
  const widen = (found: Readonly<Record<string, number>>) => {
    const wider = Object.entries(found).filter(([key, width]) => width > (needs()[key] ?? 0));
    if (wider.length > 0) setNeeds({ ...needs(), ...Object.fromEntries(wider) });
  };
  return { needs, widen, isAll, setAll };
}

/** Pixels to the left and right of a cell's text. The style sheet has the same value. */
const PADDING_PX = 16;

/** The widths of the numbers, whole texts and limited names on screen, and of the headings of numbers and texts. */
export function measuredNeeds(table: HTMLElement): Record<string, number> {
  const found: Record<string, number> = {};
  for (const cell of table.querySelectorAll<HTMLElement>('.number[data-column], .whole[data-column], .fitted[data-column]')) {
    const key = cell.dataset.column ?? '';
    for (const text of cell.querySelectorAll<HTMLElement>('.cell-text, .head-group, .head-title')) {
      found[key] = Math.max(found[key] ?? 0, text.scrollWidth + cutWidth(text) + PADDING_PX);
    }
  }
  return found;
}

/** The width of the parts that are cut inside a text. */
function cutWidth(text: HTMLElement): number {
  let cut = 0;
  for (const part of text.querySelectorAll<HTMLElement>('*')) {
    // Inline elements have no width of their own.
    if (part.clientWidth > 0) cut += Math.max(0, part.scrollWidth - part.clientWidth);
  }
  return cut;
}
