// A view's own settings in the state: `useOption('flame-graph.direction', 'callees')`.
import type { Accessor } from 'solid-js';
import { useApp } from '../app';

/** The setting, and how to change it; its initial value is not written into the URL. */
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
