// The strip at the bottom: details of the item under the pointer, otherwise of the selected function. The strip never
// moves and never covers data.

import { For, type JSX, Show } from 'solid-js';
import { type Details, useApp } from '../app';
import { describeValues } from '../columns/values';
import { comparisonOf } from '../compare/use_comparison';
import type { FunctionDetailsView } from '../engine/answers';
import { FUNCTION_ACTIONS } from '../parts/function_actions';

export function DetailsStrip(): JSX.Element {
  const app = useApp();
  const isOfSelected = () => app.details() !== null && app.details()?.name === app.state.selected && !app.details()?.values;
  const asked = app.ask(() => {
    const metric = app.metric()?.name;
    const name = app.state.selected;
    if (name === null || metric === undefined || !isOfSelected()) return null;
    const metrics = comparisonOf(app) ? `e.${metric},i.${metric}` : `e.${metric},e.${metric}%,i.${metric},i.${metric}%`;
    return { ...app.query('function'), name, metrics };
  });
  const details = (): Details | null => {
    const shown = app.details();
    const answer = asked.answer();
    if (!shown || !isOfSelected() || !answer) return shown;
    return { ...shown, facts: factsOf(answer), values: describeValues(answer.columns, answer.values) };
  };
  return (
    <footer class="strip" role="contentinfo" aria-label="Details">
      <Show
        when={details()}
        fallback={
          <p class="strip-hint">
            Point at an item or select a function to see its details here. Press <kbd>?</kbd> for help.
          </p>
        }
      >
        {(shown) => (
          <>
            <div class="strip-text">
              <div class="strip-name" tabIndex={-1}>
                {shown().name}
              </div>
              <div class="strip-values">
                <For each={shown().values ?? []}>
                  {([title, value]) => (
                    <span class="strip-value">
                      <span class="dim">{title}</span> {value}
                    </span>
                  )}
                </For>
                <For each={shown().facts ?? []}>{(fact) => <span class="strip-fact">{fact}</span>}</For>
                <Show when={isOfSelected() && asked.error()}>
                  <span class="strip-fact">not in the shown samples</span>
                </Show>
              </div>
            </div>
            <Show when={app.state.selected !== null && shown().name === app.state.selected}>
              <Actions name={app.state.selected ?? ''} />
            </Show>
          </>
        )}
      </Show>
    </footer>
  );
}

const SHORT = [
  ['c', 'Callers'],
  ['g', 'Flame graph'],
  ['s', 'Source'],
] as const;

function Actions(props: { name: string }): JSX.Element {
  const app = useApp();
  return (
    <div class="strip-actions">
      <For each={SHORT}>
        {([key, title]) => {
          const action = FUNCTION_ACTIONS.find((each) => each.key === key);
          return (
            <Show when={action && (action.fits?.({ name: props.name }) ?? true)}>
              <button type="button" class="button small" onClick={() => action?.run(app, { name: props.name })}>
                {title}
              </button>
            </Show>
          );
        }}
      </For>
      <button
        type="button"
        class="button small"
        aria-haspopup="menu"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          app.openFunctionMenu(props.name, { x: box.left, y: box.top - 440 });
        }}
      >
        More …
      </button>
    </div>
  );
}

function factsOf(answer: FunctionDetailsView): string[] {
  const first = answer.functions[0];
  if (!first) return [];
  const place = first.source_file && first.first_line ? `${first.source_file}:${first.first_line}` : first.source_file;
  return [first.kind, place, first.load_object].filter((fact): fact is string => typeof fact === 'string' && fact !== '');
}
