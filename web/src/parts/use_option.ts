// A view's setting in the state: `useOption('flame-graph.direction', 'callees')`.
import type { Accessor } from 'solid-js';
import { useApp } from '../app';

/** The setting, and a function that changes it. The URL leaves out the initial value. */
export function useOption<Value extends string>(
  name: string,
  initial: Value,
): [Accessor<Value>, (value: Value, options?: { replace?: boolean }) => void] {
  const app = useApp();
  const value = () => (app.state.options[name] ?? initial) as Value;
  const set = (next: Value, options?: { replace?: boolean }) => {
    const { [name]: _, ...others } = app.state.options;
    app.navigate({ options: next === initial ? others : { ...others, [name]: next } }, options);
  };
  return [value, set];
}
