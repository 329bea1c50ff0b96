// Finds a function by a part of its name: a box with a list below it.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { comparisonOf } from '../compare/use_comparison';
import { roughPercent } from '../format/numbers';
import { setCentre } from '../parts/function_actions';
import { FunctionName, KindMark } from '../parts/parts';
import { VIEWS } from '../views/registry';

const MOST = 12;

export function FindFunction(): JSX.Element {
  const app = useApp();
  const [text, setText] = createSignal('');
  const [isOpen, setOpen] = createSignal(false);
  const [at, setAt] = createSignal(0);
  const asked = app.ask(() =>
    isOpen() && text().trim() !== '' ? { ...app.query('suggest'), text: text().trim(), limit: MOST } : null,
  );
  const found = () => asked.answer()?.rows ?? [];
  let input!: HTMLInputElement;

  const choose = (name: string) => {
    setOpen(false);
    setText('');
    input.blur();
    // A view about one function shows the found function. In other views, it becomes the centre of callers and callees.
    const shown = VIEWS.find((view) => view.name === app.state.view);
    if (shown?.showsSelected) app.navigate({ selected: name });
    else setCentre(app, name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'ArrowDown') setAt(Math.min(found().length - 1, at() + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at() - 1));
    else if (event.key === 'Enter') {
      const row = found()[at()];
      if (row) choose(row.function);
    } else if (event.key === 'Escape') {
      setText('');
      setOpen(false);
      input.blur();
    } else return;
    event.preventDefault();
  };
  return (
    <div
      class="drop find"
      onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOpen(false)}
    >
      <input
        ref={input}
        id="find-function"
        type="search"
        role="combobox"
        spellcheck={false}
        autocomplete="off"
        placeholder="Find a function"
        aria-label="Find a function"
        aria-expanded={isOpen() && found().length > 0}
        aria-controls="found-functions"
        aria-autocomplete="list"
        aria-activedescendant={isOpen() && found().length > 0 ? `found-${at()}` : undefined}
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
      />
      <div class="popover drop-list find-list" classList={{ hidden: !isOpen() || text().trim() === '' }}>
        <div role="listbox" id="found-functions" aria-label="Functions found">
          <For each={found()}>
            {(row, index) => (
              <div
                role="option"
                id={`found-${index()}`}
                aria-selected={at() === index()}
                title={row.function}
                onMouseDown={(event) => {
                  event.preventDefault();
                  choose(row.function);
                }}
              >
                <KindMark kind={row.kind} />
                <FunctionName name={row.function} packageLength={14} />
                <span class="find-share">{comparisonOf(app) ? '' : roughPercent(row.inclusive_ratio ?? 0)}</span>
              </div>
            )}
          </For>
        </div>
        <Show when={asked.answer() && found().length === 0}>
          <p class="find-none">No matching functions in the shown samples.</p>
        </Show>
        <Show when={asked.error()}>{(error) => <p class="find-none">{error().message}</p>}</Show>
      </div>
    </div>
  );
}
