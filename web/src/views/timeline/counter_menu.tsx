// The menu that chooses which counters are drawn. The address contains the choice.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { counted } from '../../format/numbers';
import { useOption } from '../../parts/use_option';
import { type CounterUse, usualCounters } from './counter_order';
import { titleOfCounter } from './counter_words';
import './counter_menu.css';

/** The option with the names of the chosen counters. Empty: the user has not chosen. */
const CHOSEN = 'timeline.counters';
/** The choice of no counter at all. */
const NONE = 'none';

/** The names of the counters to draw, in the order of their use. */
export function useShownCounters(uses: () => readonly CounterUse[]): () => readonly string[] {
  const [chosen] = useOption<string>(CHOSEN, '');
  return createMemo(() => {
    if (chosen() === '') return usualCounters(uses());
    const names = new Set(chosen().split(','));
    return uses()
      .map(({ name }) => name)
      .filter((name) => names.has(name));
  });
}

/** The menu: a box for each counter. */
export function CounterMenu(props: { readonly uses: readonly CounterUse[]; readonly shown: readonly string[] }): JSX.Element {
  const [, setChosen] = useOption<string>(CHOSEN, '');
  const zeroCount = () => props.uses.filter((use) => use.isZero).length;
  const toggle = (name: string, isShown: boolean): void => {
    const names = isShown ? [...props.shown, name] : props.shown.filter((other) => other !== name);
    setChosen(names.join(',') || NONE, { replace: true });
  };
  return (
    <details class="counter-menu">
      <summary>
        {props.shown.length} of {counted(props.uses.length, 'counter')} shown
        <Show when={zeroCount() > 0}>, {zeroCount()} always 0</Show>
      </summary>
      <fieldset>
        <legend class="off-screen">Counters to show</legend>
        <For each={props.uses}>
          {(use) => (
            <label>
              <input
                type="checkbox"
                checked={props.shown.includes(use.name)}
                onChange={(event) => toggle(use.name, event.currentTarget.checked)}
              />
              {titleOfCounter(use.name)}
              <Show when={use.isZero}>
                <span class="dim"> always 0</span>
              </Show>
            </label>
          )}
        </For>
        <button type="button" class="button small" onClick={() => setChosen('', { replace: true })}>
          Those that change most
        </button>
      </fieldset>
    </details>
  );
}
