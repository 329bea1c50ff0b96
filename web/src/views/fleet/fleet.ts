// What all parts of the view have at hand: the choice, questions about it, and opening it in the analyzer.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import type { App } from '../../app';
import { EngineError } from '../../engine/answer';
import { FleetApi, type Services } from '../../engine/fleet';
import type { HttpEngine } from '../../engine/http';
import type { Request } from '../../engine/request';
import { type Asked, askJson } from '../../engine/use_answer';
import type { StateChange } from '../../state/change';
import { type Choice, choiceOf, optionsOf, wordsOf } from './choice';

export interface Fleet {
  choice: Accessor<Choice>;
  /** A step that Back undoes. */
  choose(part: Partial<Choice>): void;
  /** The words of the choice and the view, for a request; null if a part of the choice is missing. */
  words(view: string): Request;
  ask<Value>(request: () => Request | null): Asked<Value>;
  /** The services that there are in this time, whatever else is chosen. */
  everything: Asked<Services>;
  /** The services of the choice. */
  services: Asked<Services>;
  /** Makes an experiment of the choice, or of it with other words, and shows it. */
  open(words: Record<string, unknown>, to: StateChange): Promise<void>;
  isOpening: Accessor<boolean>;
  openError: Accessor<EngineError | null>;
  /** Asks everything anew. */
  refresh(): void;
  /** The function that is looked at; null: none. */
  picked: Accessor<string | null>;
  pick(name: string | null): void;
}

export function createFleet(app: App): Fleet {
  const api = new FleetApi(app.engine as HttpEngine);
  const [generation, setGeneration] = createSignal(0);
  const choice = createMemo(() => choiceOf(app.state.options), undefined, { equals: isSame });
  const source = { engine: api, experiment: () => 0, generation };
  const ask = <Value>(request: () => Request | null) => askJson<Value>(source, request);
  const words = (view: string): Request => ({ view, ...wordsOf(choice()) });
  const ofTime = () => {
    const { since, until, price } = choice();
    return { view: 'services', ...(price === null ? {} : { price }), since, until };
  };
  const everything = ask<Services>(ofTime);
  const [isOpening, setOpening] = createSignal(false);
  const [openError, setOpenError] = createSignal<EngineError | null>(null);
  createEffect(on(choice, () => setOpenError(null), { defer: true }));
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });

  const open = async (more: Record<string, unknown>, to: StateChange) => {
    const of = choice();
    setOpening(true);
    setOpenError(null);
    try {
      const { price: _, ...asked } = { price: null, ...wordsOf(of) };
      const { experiment, name } = await api.open({ ...asked, ...more });
      await app.reloadExperiments();
      // Who has gone on to something else stays there.
      if (isGone || !isSame(of, choice())) app.say(`${name} is open`);
      else app.navigate({ experiment, selected: null, fragment: [], filter: [], transforms: [], zoom: [], search: '', ...to });
    } catch (error) {
      setOpenError(error instanceof EngineError ? error : new EngineError(String(error), 'transport'));
    } finally {
      setOpening(false);
    }
  };

  return {
    choice,
    choose: (part) => app.navigate({ options: optionsOf(app.state.options, { ...choice(), ...part }) }),
    words,
    ask,
    everything,
    services: ask<Services>(() => words('services')),
    open,
    isOpening,
    openError,
    refresh: () => setGeneration((number) => number + 1),
    picked: () => app.state.options['fleet.function'] ?? null,
    pick: (name) => {
      const { 'fleet.function': _, ...others } = app.state.options;
      app.navigate({ options: name === null ? others : { ...others, 'fleet.function': name } }, { replace: true });
    },
  };
}

/** Follows a value after a pause without changes: for what is typed, and for arrow keys that are held. */
export function delayed<Value>(value: Accessor<Value>, pause_ms: number): Accessor<Value> {
  const [late, setLate] = createSignal(value());
  createEffect(
    on(
      value,
      (newest) => {
        const timer = setTimeout(() => setLate(() => newest), pause_ms);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  return late;
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
