// Selects several names: a button with a list of checkboxes below it. Long lists have a search.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { grouped } from '../../format/numbers';

/** Shorter lists have no search. */
const SEARCHED_FROM = 9;
/** Largest number of rows in the page. The search finds the other rows. */
const MOST_SHOWN = 200;

export function PickList(props: {
  /** `Hosts` */
  title: string;
  names: readonly string[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
  /** Normally all names are selected, and the count is not useful. */
  isCountHidden?: boolean;
  /**
   * The title of the button that deselects all names. A query without selected names includes all names. Undefined: the
   * list has no such button.
   */
  all?: string;
}): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  const [text, setText] = createSignal('');
  let box!: HTMLDivElement;
  let button!: HTMLButtonElement;

  /** Includes selected names without data in this time range. Otherwise they could not be deselected. */
  const all = createMemo(() => [...props.chosen.filter((name) => !props.names.includes(name)), ...props.names]);
  const found = createMemo(() => {
    const wanted = text().trim().toLowerCase();
    return wanted === '' ? all() : all().filter((name) => name.toLowerCase().includes(wanted));
  });
  const close = () => {
    setOpen(false);
    setText('');
  };
  const toggle = (name: string) => {
    const isChosen = props.chosen.includes(name);
    props.onChange(isChosen ? props.chosen.filter((each) => each !== name) : [...props.chosen, name]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen()) {
      close();
      button.focus();
      event.preventDefault();
      event.stopPropagation();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    event.stopPropagation();
    if (!isOpen()) setOpen(true);
    const inputs = [...box.querySelectorAll<HTMLElement>('input')];
    const at = inputs.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    inputs[(at + inputs.length) % inputs.length]?.focus();
  };
  return (
    <div
      class="drop"
      ref={box}
      onKeyDown={onKeyDown}
      onFocusOut={(event) =>
        event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget as Node) && close()
      }
    >
      <button
        type="button"
        class="button fleet-pick"
        classList={{ chosen: props.chosen.length > 0 && !props.isCountHidden }}
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen()}
        onClick={() => (isOpen() ? close() : setOpen(true))}
      >
        {props.title}
        <Show when={props.chosen.length > 0 && !props.isCountHidden}>
          <span class="fleet-pick-count">{props.chosen.length}</span>
        </Show>
        <svg width="8" height="6" viewBox="0 0 8 6" aria-hidden="true">
          <path d="M1 1l3 3.5L7 1" fill="none" stroke="currentColor" stroke-width="1.4" />
        </svg>
      </button>
      <Show when={isOpen()}>
        <div class="fleet-behind" onClick={close} />
        <div class="popover fleet-list" role="dialog" aria-label={props.title}>
          <Show when={all().length >= SEARCHED_FROM}>
            <input
              type="search"
              placeholder={`Search ${grouped(all().length)} names`}
              aria-label={`Search ${props.title.toLowerCase()}`}
              spellcheck={false}
              autocomplete="off"
              value={text()}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </Show>
          <ul>
            <For
              each={found().slice(0, MOST_SHOWN)}
              fallback={
                <li class="dim fleet-none">{all().length === 0 ? 'No names in this time range.' : 'No matching names.'}</li>
              }
            >
              {(name) => (
                <li>
                  <label>
                    <input type="checkbox" checked={props.chosen.includes(name)} onChange={() => toggle(name)} />
                    <span class="fleet-name" title={name}>
                      {name}
                    </span>
                    <Show when={!props.names.includes(name)}>
                      <span class="dim">not in this time range</span>
                    </Show>
                  </label>
                </li>
              )}
            </For>
          </ul>
          <Show when={found().length > MOST_SHOWN}>
            <p class="dim fleet-none">{found().length - MOST_SHOWN} more. Use the search to find them.</p>
          </Show>
          <Show when={props.all !== undefined && props.chosen.length > 0}>
            <button type="button" class="button quiet small" onClick={() => props.onChange([])}>
              {props.all}
            </button>
          </Show>
        </div>
      </Show>
    </div>
  );
}
