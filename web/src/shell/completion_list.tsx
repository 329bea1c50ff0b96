// The list below the box for filters: fields of the syntax, threads, pools, functions and packages that match what is typed.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type App, useApp } from '../app';
import { type Completion, completionOf, type Offer, offersOf } from '../state/completion';

/** Number of rows of the list. */
const MOST = 12;
/** Number of names that are requested. The names are filtered here, so a letter more needs no request. */
const NAMES = 2000;

/** The offers for a text; empty if nothing can be completed. `isActive`: the box has the focus. */
export function useOffers(text: () => string, isActive: () => boolean): () => readonly Offer[] {
  const app = useApp();
  const completion = createMemo(() => (isActive() ? completionOf(text()) : undefined));
  const source = createMemo(() => completion()?.source);
  const threads = app.ask(() => (source() === 'thread' || source() === 'pool' ? threadNames(app, source() === 'pool') : null));
  const typed = createMemo(() => completion()?.typed ?? '');
  const functions = app.ask(() => (source() === 'function' ? { ...app.query('suggest'), text: typed(), limit: MOST } : null));
  // The engine knows all packages without a computation, and a letter more needs no request.
  const packages = app.ask(() => (source() === 'package' ? { view: 'packages' } : null));
  const names = (of: Completion): readonly string[] => {
    if (of.source === 'function') return functions.answer()?.rows.map((row) => row.function) ?? [];
    if (of.source === 'package') return packages.answer()?.names ?? [];
    const rows = threads.answer()?.rows ?? [];
    return rows.filter((row) => row.thread !== '' && (of.source === 'thread' || row.is_pool)).map((row) => row.thread);
  };
  return () => {
    const found = completion();
    return found ? offersOf(found, names(found), MOST) : [];
  };
}

function threadNames(app: App, ofPools: boolean) {
  const metric = app.metric()?.name;
  if (metric === undefined) return null;
  return { ...app.query('threads'), metrics: metric, pools: ofPools ? 'closed' : 'none', limit: NAMES };
}

export function CompletionList(props: {
  offers: readonly Offer[];
  /** Position of the marked row; -1: no row is marked. */
  at: number;
  onChoose(offer: Offer): void;
}): JSX.Element {
  return (
    <Show when={props.offers.length > 0}>
      <div class="popover completion-list" role="listbox" id="completions" aria-label="Completions">
        <For each={props.offers}>
          {(offer, index) => (
            <div
              role="option"
              id={`completion-${index()}`}
              aria-selected={props.at === index()}
              title={offer.title}
              onMouseDown={(event) => {
                event.preventDefault();
                props.onChoose(offer);
              }}
            >
              {offer.title}
            </div>
          )}
        </For>
      </div>
    </Show>
  );
}
