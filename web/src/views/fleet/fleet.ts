// Data that all parts of the view use: the query settings and their requests. Also opens the result in the analyzer.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import type { App } from '../../app';
import { EngineError } from '../../engine/answer';
import { type FleetAnswers, FleetApi, type Services } from '../../engine/fleet';
import type { HttpEngine } from '../../engine/http';
import type { Request } from '../../engine/request';
import { type Asked, askJson } from '../../engine/use_answer';
import type { StateChange } from '../../state/change';
import { isSame } from '../../state/same';
import { type Choice, choiceOf, optionsOf, wordsOf } from './choice';

export interface Fleet {
  choice: Accessor<Choice>;
  /** Back undoes this step. */
  choose(part: Partial<Choice>): void;
  /** The words of the settings and the view, for a request. */
  words<View extends string>(view: View): Request<View>;
  ask<View extends keyof FleetAnswers>(request: () => Request<View> | null): Asked<FleetAnswers[View]>;
  /** All services with data in the time range, independent of the other settings. */
  everything: Asked<Services>;
  /** The answer for the selected services. */
  services: Asked<Services>;
  /** Makes an experiment from the settings and additional words, and shows the experiment. */
  open(words: Record<string, unknown>, to: StateChange): Promise<void>;
  isOpening: Accessor<boolean>;
  openError: Accessor<EngineError | null>;
  /** Requests all data again. */
  refresh(): void;
  /** The selected function; null: no function is selected. */
  picked: Accessor<string | null>;
  pick(name: string | null): void;
}

export function createFleet(app: App): Fleet {
  const api = new FleetApi(app.engine as HttpEngine);
  const [generation, setGeneration] = createSignal(0);
  const choice = createMemo(() => choiceOf(app.state.options), undefined, { equals: isSame });
  const source = { engine: api, experiment: () => 0, generation };
  const ask = <View extends keyof FleetAnswers>(request: () => Request<View> | null) =>
    askJson<FleetAnswers[View]>(source, request);
  const words = <View extends string>(view: View): Request<View> => ({ view, ...wordsOf(choice()) });
  const ofTime = () => {
    const { since, until, price } = choice();
    return { view: 'services' as const, ...(price === null ? {} : { price }), since, until };
  };
  const everything = ask(ofTime);
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
      // If the user has meanwhile opened another view, that view stays open.
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
    services: ask(() => words('services')),
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

/** A value that follows another value after a pause without changes, for typed text and held arrow keys. */
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
