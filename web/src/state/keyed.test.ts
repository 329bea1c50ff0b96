import { createEffect, createRoot } from 'solid-js';
import { expect, test } from 'vitest';
import { createKeyed } from './keyed';

interface Example {
  view: string;
  filter: readonly string[];
  note?: string;
}

/** Counts how often each reader of an object runs. */
function counted<T extends object>(initial: T, readers: Record<string, (keyed: T) => unknown>) {
  const runs: Record<string, number> = {};
  const replace = createRoot(() => {
    const [keyed, replace] = createKeyed(initial);
    for (const [name, read] of Object.entries(readers)) {
      createEffect(() => {
        read(keyed);
        runs[name] = (runs[name] ?? 0) + 1;
      });
    }
    return replace;
  });
  return { runs, replace };
}

test('a reader runs again only if the value of its own key has changed', () => {
  const { runs, replace } = counted<Example>(
    { view: 'home', filter: ['thread = "main"'] },
    { view: (of) => of.view, filter: (of) => of.filter, note: (of) => of.note },
  );
  replace({ view: 'threads', filter: ['thread = "main"'] });
  expect(runs).toEqual({ view: 2, filter: 1, note: 1 });
  replace({ view: 'threads', filter: [], note: 'look' });
  expect(runs).toEqual({ view: 2, filter: 2, note: 2 });
  replace({ view: 'threads', filter: [] });
  expect(runs).toEqual({ view: 2, filter: 2, note: 3 });
});

test('a reader of all keys runs once per change, also if a key is added or removed', () => {
  const { runs, replace } = counted<Record<string, string>>(
    { 'flame-graph.layout': 'both' },
    { spread: (of) => ({ ...of }), keys: (of) => Object.keys(of), layout: (of) => of['flame-graph.layout'] },
  );
  replace({ 'flame-graph.layout': 'icicle', 'timeline.sort': 'cpu' });
  expect(runs).toEqual({ spread: 2, keys: 2, layout: 2 });
  replace({ 'flame-graph.layout': 'icicle', 'timeline.sort': 'name' });
  expect(runs).toEqual({ spread: 3, keys: 2, layout: 2 });
  replace({ 'timeline.sort': 'name' });
  expect(runs).toEqual({ spread: 4, keys: 3, layout: 3 });
});

test('the object has the values of a plain object', () => {
  const [keyed, replace] = createKeyed<Record<string, unknown>>({ a: 1, b: [2] });
  expect({ ...keyed, b: 3 }).toEqual({ a: 1, b: 3 });
  const { a, ...others } = keyed;
  expect([a, others]).toEqual([1, { b: [2] }]);
  const before = keyed.b;
  replace({ c: 4, b: [2] });
  expect(keyed.b).toBe(before);
  expect(Object.entries(keyed)).toEqual([
    ['c', 4],
    ['b', [2]],
  ]);
  expect(JSON.stringify(keyed)).toBe('{"c":4,"b":[2]}');
});
