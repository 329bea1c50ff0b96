// The help: which view answers which question, the words for values, and all keys of the frame and of the views.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { FLAVOUR_MEANINGS } from '../format/columns';
import { closeDialogOf, Dialog } from '../parts/dialog';
import { FUNCTION_ACTIONS } from '../parts/function_actions';
import { noteActions } from '../user_notes/actions';
import { entering, isOffered, type ViewDefinition } from '../view';
import { VIEWS } from '../views/registry';
import { GLOBAL_KEYS } from './keys';
import { hasLetterKeys, setLetterKeys } from './letter_keys';

/** The views that answer the usual first questions. */
const FIRST_VIEWS: readonly string[] = ['home', 'flame-graph', 'source', 'timeline', 'threads', 'requests', 'locks'];

/** In report files, some views have no question, because they are left out. */
const isInHelp = ({ name, question }: ViewDefinition) => FIRST_VIEWS.includes(name) && question !== '';

const TABLE_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', 'Previous or next row. Selects its function'],
  ['PageUp PageDown', 'One screen up or down'],
  ['Home End', 'First and last row'],
  ['Enter', 'Action of the row: set the centre, filter or open'],
  ['m', 'Open the menu of the row'],
];

export function Help(props: { onClose(): void }): JSX.Element {
  const app = useApp();
  const actions = [...FUNCTION_ACTIONS, ...noteActions(app)];
  const views = VIEWS.filter((view) => isOffered(view, app));
  return (
    <Dialog title="Help" class="help" onClose={() => props.onClose()}>
      <h3 class="help-title">Which view answers which question</h3>
      <dl class="help-words">
        <For each={views.filter(isInHelp)}>{(view) => <Question of={view} />}</For>
      </dl>
      <h3 class="help-title">Values</h3>
      <dl class="help-words">
        <For each={Object.entries(FLAVOUR_MEANINGS)}>
          {([flavour, meaning]) => (
            <div>
              <dt>{flavour}</dt>
              <dd>{meaning}</dd>
            </div>
          )}
        </For>
      </dl>
      <label class="help-setting">
        <input type="checkbox" checked={hasLetterKeys()} onChange={(event) => setLetterKeys(event.currentTarget.checked)} />
        Use shortcuts of one character. Arrows, Enter, Escape and Tab always work.
      </label>
      <div class="help-groups">
        <KeyList title="Everywhere" keys={GLOBAL_KEYS} />
        <KeyList title="Go to a view" keys={views.map((view) => [`g ${view.key}`, view.title])} />
        <KeyList title="In tables" keys={TABLE_KEYS} />
        <KeyList title="In the menu of a function (m)" keys={actions.map((action) => [action.key, action.title])} />
        <For each={views.filter((view) => view.keys)}>{(view) => <KeyList title={view.title} keys={view.keys ?? []} />}</For>
      </div>
    </Dialog>
  );
}

/** A view and its question. The link goes to the view. */
function Question(props: { of: ViewDefinition }): JSX.Element {
  const app = useApp();
  return (
    <div>
      <dt>
        <a
          class="link"
          href={app.href(entering(props.of, app.state))}
          onClick={({ currentTarget }) => closeDialogOf(currentTarget)}
        >
          {props.of.title}
        </a>
      </dt>
      <dd>{props.of.question}</dd>
    </div>
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
