// The search in graphs and trees. All of them have the same text and the same keys.
import { type Accessor, createSignal, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { grouped } from '../format/numbers';
import { ALL_SHOWN, FRAMEWORKS } from '../state/framework_frames';
import { focusView } from './focus_view';

interface Found {
  readonly matches: readonly unknown[];
}

export interface Search<Result extends Found = Found> {
  /** The result for the text in the box; undefined before the answer. */
  found: Accessor<Result | undefined>;
  /** Position of the match that the user went to. */
  match: Accessor<number | undefined>;
  /** Goes to another match: 1 for the next, -1 for the previous. */
  step(by: number): void;
  start(text: string): void;
}

/** `first`: the match that a view shows as soon as it is found. */
export function createSearch<Result extends Found>(
  result: Accessor<Result | null | undefined>,
  hasFolded: Accessor<boolean | undefined>,
  first?: number,
): Search<Result> {
  const app = useApp();
  const [match, setMatch] = createSignal(first);
  const found = () => (app.state.search === '' ? undefined : (result() ?? undefined));
  return {
    found,
    match,
    step(by) {
      const count = found()?.matches.length ?? 0;
      if (count > 0) setMatch((at) => (at === undefined ? (by > 0 ? 0 : count - 1) : (at + by + count) % count));
    },
    start(search) {
      setMatch(first);
      // A search also looks into the frames of frameworks.
      if (search !== '' && hasFolded()) {
        app.navigate({ search, options: { ...app.state.options, [FRAMEWORKS]: ALL_SHOWN } });
      } else app.navigate({ search }, { replace: true });
    },
  };
}

/** The children describe the matches. Without children, the box only says that there is no match. */
export function SearchBox(props: {
  readonly search: Search;
  /** What the text is: a regular expression of the engine, if it is not another text. */
  readonly hint?: string;
  readonly children?: JSX.Element;
}): JSX.Element {
  const app = useApp();
  const hint = () => props.hint ?? 'regular expression';
  const count = () => props.search.found()?.matches.length ?? 0;
  return (
    <div class="search-box" role="search">
      <input
        type="search"
        data-search
        aria-label={`Search, ${hint()}`}
        placeholder={`Search (${hint()})`}
        value={app.state.search}
        onInput={(event) => props.search.start(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') props.search.step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            // Browsers clear the field, but leave the focus in it.
            event.preventDefault();
            props.search.start('');
            focusView();
          }
        }}
      />
      <Show when={props.search.found()}>
        <button type="button" aria-label="Previous match" onClick={() => props.search.step(-1)}>
          ‹
        </button>
        <button type="button" aria-label="Next match" onClick={() => props.search.step(1)}>
          ›
        </button>
        <output class="search-matched">
          {props.children ?? (count() === 0 ? 'No match' : '')}
          <Show when={count() > 0 && props.search.match() !== undefined}>
            <span>
              {grouped(props.search.match()! + 1)} of {grouped(count())}
            </span>
          </Show>
        </output>
      </Show>
    </div>
  );
}
