// Rows of a view with a windowed answer: loads the rows on the screen while the user scrolls.
import { createMemo, createSignal } from 'solid-js';
import type { App } from '../app';
import type { JsonAnswers, Request } from '../engine/request';
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
  /** True if the rows on the screen are the answer to an older request than the newest request. */
  isStale(): boolean;
  /** Position of the first loaded row that matches; -1 if no loaded row matches. */
  find(fits: (row: Row) => boolean): number;
}

/** Views with rows in their answer. */
type WindowedView = {
  [View in keyof JsonAnswers]: JsonAnswers[View] extends Windowed<unknown> ? View : never;
}[keyof JsonAnswers];
type RowOf<View extends WindowedView> = JsonAnswers[View]['rows'][number];

export function useRows<View extends WindowedView>(
  app: App,
  request: () => Request<View> | null,
): Rows<RowOf<View>, JsonAnswers[View]> {
  const [window, setWindow] = createSignal<RowWindow>({ skip: 0, limit: 100 }, { equals: isSame });
  const asked = app.ask(() => {
    const whole = request();
    return whole && { ...whole, ...window() };
  });
  const skip = () => asked.asked()?.skip ?? 0;
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
