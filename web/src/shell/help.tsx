// The help: all keys, those of the frame and those of the views.
import { For, type JSX, Show, onMount } from 'solid-js';
import { useApp } from '../app';
import { VIEWS, isOffered } from '../views/registry';
import { FUNCTION_ACTIONS } from './function_actions';
import { GLOBAL_KEYS } from './keys';
import { hasLetterKeys, setLetterKeys } from './letter_keys';

const TABLE_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', 'Row by row; this selects the function'],
  ['PageUp PageDown', 'Screen by screen'],
  ['Home End', 'First and last row'],
  ['Enter', 'What the row is for: set the centre, filter, open'],
  ['m', 'Menu of the row'],
];

export function Help(props: { onClose(): void }): JSX.Element {
  const app = useApp();
  const views = VIEWS.filter((view) => isOffered(view, app));
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  return (
    <dialog class="dialog help" ref={dialog} aria-labelledby="help-title" onClose={() => props.onClose()} onClick={(event) => event.target === dialog && dialog.close()}>
      <div class="dialog-head">
        <h2 id="help-title">Keys</h2>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={() => dialog.close()}>×</button>
      </div>
      <label class="help-setting">
        <input type="checkbox" checked={hasLetterKeys()} onChange={(event) => setLetterKeys(event.currentTarget.checked)} />
        Letters, digits and signs are keys; without them arrows, Enter, Escape and Tab are
      </label>
      <div class="help-groups">
        <KeyList title="Everywhere" keys={GLOBAL_KEYS} />
        <KeyList title="Go to a view" keys={views.map((view) => [`g ${view.key}`, view.title])} />
        <KeyList title="In tables" keys={TABLE_KEYS} />
        <KeyList title="In a function's menu (m)" keys={FUNCTION_ACTIONS.map((action) => [action.key, action.title])} />
        <For each={views.filter((view) => view.keys)}>
          {(view) => <KeyList title={view.title} keys={view.keys ?? []} />}
        </For>
      </div>
    </dialog>
  );
}

function KeyList(props: { title: string; keys: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <section>
      <h3>{props.title}</h3>
      <dl class="key-list">
        <For each={props.keys}>
          {([keys, meaning]) => (
            <div>
              <dt>
                <For each={keys.split(' ')}>
                  {(key) => (
                    <Show when={key !== '/' || keys === '/'} fallback="or">
                      <kbd>{key}</kbd>
                    </Show>
                  )}
                </For>
              </dt>
              <dd>{meaning}</dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}
