// Rows of a view that answers in windows: asks for those on the screen as it scrolls.
import { createMemo, createSignal } from 'solid-js';
import type { App } from '../app';
import type { Request } from '../engine/request';
import type { Asked } from '../engine/use_answer';
import { type RowWindow, windowAround } from './window';

interface Windowed<Row> {
  rows: readonly Row[];
  row_count: number;
}

export interface Rows<Row, Answer extends Windowed<Row>> {
  asked: Asked<Answer>;
  answer(): Answer | undefined;
  rowCount(): number;
  rowAt(index: number): Row | undefined;
  onVisible(first: number, count: number): void;
  /** The rows on the screen are of an older request than the newest. */
  isStale(): boolean;
  /** Place of the first loaded row that fits; -1 none. */
  find(fits: (row: Row) => boolean): number;
}

export function useRows<Row, Answer extends Windowed<Row>>(app: App, request: () => Request | null): Rows<Row, Answer> {
  const [window, setWindow] = createSignal<RowWindow>({ skip: 0, limit: 100 }, { equals: isSame });
  const asked = app.ask<Answer>(() => {
    const whole = request();
    return whole && { ...whole, ...window() };
  });
  const skip = () => (typeof asked.asked()?.['skip'] === 'number' ? (asked.asked()?.['skip'] as number) : 0);
  const rows = createMemo(() => asked.answer()?.rows ?? []);
  return {
    asked,
    answer: asked.answer,
    rowCount: () => asked.answer()?.row_count ?? 0,
    rowAt: (index) => rows()[index - skip()],
    onVisible: (first, count) => setWindow(windowAround(first, count)),
    isStale: () => asked.isLoading() && asked.answer() !== undefined && skip() === window().skip,
    find: (fits) => {
      const found = rows().findIndex(fits);
      return found < 0 ? -1 : found + skip();
    },
  };
}

function isSame(left: RowWindow, right: RowWindow): boolean {
  return left.skip === right.skip && left.limit === right.limit;
}
