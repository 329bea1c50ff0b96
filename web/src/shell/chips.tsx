// The bar of the filter and the transforms: chips to edit and remove, and a box to add one.
import { createEffect, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { EngineError } from '../engine/answer';
import type { Offer } from '../state/completion';
import { inCanonicalForm } from '../state/filter_parts';
import { filterWords, isTransform, transformWords } from '../state/words';
import { CompletionList, useOffers } from './completion_list';

const EXAMPLES: readonly (readonly [text: string, meaning: string])[] = [
  ['thread = "main"', 'one thread'],
  ['thread ~ "worker-[0-9]+"', 'threads with a matching name'],
  ['pool is "http-nio-8080-exec-#"', 'the threads of a pool'],
  ['process is 4711', 'the threads of a process'],
  ['time in 2s..5s', 'from 2 s to 5 s after the start'],
  ['stack has "java.io.FileOutputStream.write"', 'a function anywhere on the stack'],
  ['not stack has package "java.util"', 'stacks without this package'],
  ['leaf is "java.lang.Thread.sleep"', 'stacks that end in this function'],
  ['mode is system', 'samples in the kernel'],
  ['event is alloc', 'samples of one event'],
  ['class is "byte[]"', 'allocated objects of one class'],
  ['reason is socket', 'threads blocked for this reason'],
  ['request is "GET /orders/{}"', 'requests with this name'],
  ['request_time > 500ms', 'requests that took longer'],
  ['merge package "java.util"', 'transform: merge a package into its callers'],
  ['collapse binary "libc.so.6"', 'transform: show a library as one frame'],
];

export function Chips(): JSX.Element {
  const app = useApp();
  const without = (list: readonly string[], index: number) => list.filter((_, each) => each !== index);
  return (
    <div class="chips" role="region" aria-label="Filter and transforms">
      <For each={app.state.filter}>
        {(part, index) => (
          <Chip
            kind="filter"
            text={part}
            words={filterWords(part)}
            onRemove={() => app.navigate({ filter: without(app.state.filter, index()) })}
            onEdit={() => edit(part)}
          />
        )}
      </For>
      <For each={app.state.transforms}>
        {(line, index) => (
          <Chip
            kind="transform"
            text={line}
            words={transformWords(line)}
            onRemove={() => app.navigate({ transforms: without(app.state.transforms, index()) })}
            onEdit={() => edit(line)}
          />
        )}
      </For>
      <FilterBox />
      <Show when={app.state.filter.length + app.state.transforms.length > 1}>
        <button type="button" class="button quiet small" onClick={() => app.navigate({ filter: [], transforms: [] })}>
          Remove all
        </button>
      </Show>
    </div>
  );
}

const [edited, edit] = createSignal<string | null>(null, { equals: false });

function Chip(props: {
  kind: 'filter' | 'transform';
  text: string;
  words: string;
  onRemove(): void;
  onEdit(): void;
}): JSX.Element {
  return (
    <span class={`chip chip-${props.kind}`}>
      <button
        type="button"
        class="chip-words"
        title={props.text}
        aria-label={`${props.kind}: ${props.words}. Edit`}
        onClick={() => props.onEdit()}
      >
        {props.words}
      </button>
      <button type="button" class="chip-remove" aria-label={`Remove: ${props.words}`} onClick={() => props.onRemove()}>
        ×
      </button>
    </span>
  );
}

function FilterBox(): JSX.Element {
  const app = useApp();
  const [text, setText] = createSignal('');
  const [replaced, setReplaced] = createSignal<string | null>(null);
  const [error, setError] = createSignal<EngineError | null>(null);
  const [isOpen, setOpen] = createSignal(false);
  const [at, setAt] = createSignal(-1);
  let input!: HTMLInputElement;
  const offers = useOffers(text, () => isOpen() && error() === null);
  const isChosen = () => at() >= 0 && at() < offers().length;
  const type = (wanted: string) => {
    setText(wanted);
    setError(null);
    setAt(-1);
  };
  const choose = (offer: Offer) => {
    type(offer.text);
    input.focus();
  };

  createEffect(() => {
    const chip = edited();
    if (chip === null) return;
    setText(chip);
    setReplaced(chip);
    setError(null);
    queueMicrotask(() => input.focus());
  });
  const reset = () => {
    setText('');
    setReplaced(null);
    setError(null);
  };
  const add = async () => {
    const wanted = inCanonicalForm(text().trim());
    if (wanted === '') return;
    const old = replaced();
    const failure = await problem(wanted);
    setError(failure);
    if (failure) {
      if (failure.position !== null) input.setSelectionRange(failure.position, failure.position + 1);
      return;
    }
    put(wanted, old);
    reset();
  };
  /** The engine's error for this text. A test request asks for one row and applies only this text. */
  const problem = async (wanted: string): Promise<EngineError | null> => {
    const { mode } = app.state;
    const own = isTransform(wanted) ? { transforms: [wanted] } : { filter: wanted };
    try {
      await app.engine.ask(app.state.experiment, { view: 'functions', mode, limit: 1, ...own });
      return null;
    } catch (failure) {
      return failure instanceof EngineError ? failure : new EngineError(String(failure), 'transport');
    }
  };
  const put = (wanted: string, old: string | null) => {
    // The chip stays at its position, because transforms are applied in their order.
    const swap = (list: readonly string[], isOfThis: boolean) => {
      const changed = list.map((each) => (isOfThis && each === old ? wanted : each)).filter((each) => each !== old);
      return [...new Set(isOfThis ? [...changed, wanted] : changed)];
    };
    app.navigate({
      filter: swap(app.state.filter, !isTransform(wanted)),
      transforms: swap(app.state.transforms, isTransform(wanted)),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const chosen = offers()[at()] ?? (event.key === 'Tab' && !event.shiftKey ? offers()[0] : undefined);
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && offers().length > 0) {
      event.preventDefault();
      setAt(Math.max(-1, Math.min(offers().length - 1, at() + (event.key === 'ArrowDown' ? 1 : -1))));
    } else if (chosen && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      choose(chosen);
    } else if (event.key === 'Enter') void add();
    if (event.key === 'Escape') {
      // Without this call, the page would also handle the key and clear the search or the selection.
      event.preventDefault();
      if (text() === '') input.blur();
      reset();
    }
  };
  return (
    <div class="filter-box" onFocusOut={(event) => setOpen(event.currentTarget.contains(event.relatedTarget as Node | null))}>
      <input
        ref={input}
        id="filter-box"
        type="text"
        spellcheck={false}
        autocomplete="off"
        placeholder="Add a filter …"
        aria-label="Add a filter or a transform"
        aria-invalid={error() !== null}
        aria-describedby={error() ? 'filter-error' : undefined}
        role="combobox"
        aria-expanded={offers().length > 0}
        aria-controls="completions"
        aria-autocomplete="list"
        aria-activedescendant={isChosen() ? `completion-${at()}` : undefined}
        value={text()}
        onFocus={() => setOpen(true)}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Show when={error()}>{(found) => <FilterError text={text()} error={found()} />}</Show>
      <CompletionList offers={offers()} at={at()} onChoose={choose} />
      <Show when={isOpen() && text() === '' && !error()}>
        <div class="popover filter-examples">
          <p>A filter selects samples. A transform changes stacks. Press Tab to complete, and Enter to add it.</p>
          <For each={EXAMPLES}>
            {([example, meaning]) => (
              <button
                type="button"
                onClick={() => {
                  type(example);
                  input.focus();
                }}
              >
                <code>{example}</code>
                <span>{meaning}</span>
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}

/** The text with the error marked, and the expected syntax. */
function FilterError(props: { text: string; error: EngineError }): JSX.Element {
  const position = () => Math.min(props.error.position ?? 0, props.text.length);
  return (
    <div class="popover filter-error" id="filter-error" role="alert">
      <Show when={props.error.position !== null}>
        <pre>
          {props.text.slice(0, position())}
          <mark>{props.text.slice(position(), position() + 1) || ' '}</mark>
          {props.text.slice(position() + 1)}
          {'\n'}
          {' '.repeat(position())}^
        </pre>
      </Show>
      <p>{sentence(props.error.message)}</p>
    </div>
  );
}

/** The engine's message repeats the text and points to the error. Its first line is enough here. */
function sentence(message: string): string {
  return message.split('\n')[0]?.replace(/^the (filter|transform) is wrong at character \d+: /, '') ?? message;
}
