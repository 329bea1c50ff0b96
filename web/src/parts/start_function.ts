// The function that views about one function show: the selected function, or a start while no function is selected.
import { createMemo } from 'solid-js';
import { useApp } from '../app';
import { startOf } from './start_of';

/** Number of top functions to choose from. Some of them can be no code, such as `<Total>`. */
const MOST = 8;

export interface StartFunction {
  /** The selected function, or the start; null if the start is not known yet, or if there is none. */
  name(): string | null;
  /** True until the start is known. */
  isLoading(): boolean;
}

export function useStartFunction(): StartFunction {
  const app = useApp();
  const asked = app.ask(() => (app.state.selected === null ? { ...app.query('overview'), limit: MOST } : null));
  return {
    name: createMemo(() => app.state.selected ?? startOf(asked.answer())),
    isLoading: () => app.state.selected === null && asked.answer() === undefined && asked.error() === undefined,
  };
}
