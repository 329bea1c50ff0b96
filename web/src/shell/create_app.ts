// Makes the one `App` that all views use.
import { createEffect, createMemo, createResource, createSignal, on } from 'solid-js';
import type { App, Details, Export } from '../app';
import type { EngineError } from '../engine/answer';
import type { ExperimentAnswer } from '../engine/answers';
import { COMPARE } from '../engine/comparisons';
import type { Engine } from '../engine/engine';
import type { BinaryAnswers } from '../engine/pictures';
import type { JsonAnswers, Request } from '../engine/request';
import { askBinary, askJson, type Source } from '../engine/use_answer';
import { regrown } from '../state/change';
import { joinedFilter, timeRangeOf, withTimeRange } from '../state/filter_parts';
import { createNavigation } from '../state/history';
import { createUserNotes } from '../user_notes/store';
import { followExperiments } from './follow_experiments';
import type { MenuTarget } from './function_menu';

/** The prefix of a fleet's addresses. */
const FLEET = '/api/fleet/';
/** The prefix of addresses that read and write files of experiments. */
const EXPERIMENT_FILES = '/api/experiment/';

/** A text for screen readers, which the window can also show for some seconds. */
export interface Spoken {
  readonly text: string;
  readonly isShown: boolean;
}

/** The part of the app that only the shell needs. */
export interface Frame {
  app: App;
  menu: () => MenuTarget | null;
  closeMenu(): void;
  spoken: () => Spoken;
  offer: () => Export;
  clearOffer(): void;
  experimentError: () => EngineError | undefined;
  /** Sends all requests again. */
  refresh(): void;
}

export function createApp(engine: Engine): Frame {
  const { state, navigate, href } = createNavigation();
  const [generation, setGeneration] = createSignal(0);
  const [pointed, showDetails] = createSignal<Details | null>(null);
  const [menu, setMenu] = createSignal<MenuTarget | null>(null);
  const [spoken, speak] = createSignal<Spoken>({ text: '', isShown: false }, { equals: false });
  const [offer, offerExport] = createSignal<Export>({});

  const { experiments, reload } = followExperiments(
    engine,
    () => state.experiment,
    () => {
      navigate(regrown(state), { replace: true });
      setGeneration((number) => number + 1);
    },
  );
  const [others] = createResource(async () => (await engine.others?.().catch(() => [])) ?? []);
  const hasFleet = () => others()?.includes(FLEET) ?? false;
  // A fleet has no open experiment until the user opens a selection.
  const isNothingOpen = () => (hasFleet() || state.view === 'fleet') && !experiments()?.length;

  const source: Source = { engine, experiment: () => state.experiment, generation };
  const loaded = askJson<ExperimentAnswer>(source, () => (isNothingOpen() ? null : { view: 'experiment', mode: state.mode }));
  const metric = createMemo(
    () => {
      const metrics = loaded.answer()?.metrics ?? [];
      return metrics.find(({ name }) => name === state.metric) ?? metrics[0];
    },
    undefined,
    { equals: (left, right) => JSON.stringify(left) === JSON.stringify(right) },
  );
  createEffect(() => {
    const selected = state.selected;
    if (selected !== null) showDetails(null);
  });

  // If there is a fleet or a verification, the page starts with its view. Without any experiment, it starts with the
  // running programs.
  const [verification] = createResource(async () => (await engine.verification?.().catch(() => null)) ?? null);
  const isFresh = location.hash === '' || location.hash === '#/';
  createEffect(
    on([experiments, verification, others], ([all, verified, known]) => {
      if (state.view !== 'home' || verified === undefined || known === undefined) return;
      if (hasFleet() && (isFresh || all?.length === 0)) navigate({ view: 'fleet' }, { replace: true });
      else if (verified !== null && isFresh) navigate({ view: 'verification' }, { replace: true });
      else if (verified === null && all?.length === 0) navigate({ view: 'experiments' }, { replace: true });
    }),
  );

  const userNotes = createUserNotes(engine, () => {
    const isKept = others()?.includes(EXPERIMENT_FILES) && experiments()?.[state.experiment]?.path;
    return isKept ? state.experiment : null;
  });

  const app: App = {
    engine,
    experiments: () => experiments() ?? [],
    reloadExperiments: reload,
    state,
    navigate,
    href,
    verification,
    hasFleet,
    canCompare: () => others()?.includes(COMPARE) ?? false,
    experiment: loaded.answer,
    metric,
    query: (view) => ({
      view,
      mode: state.mode,
      filter: joinedFilter(state.filter),
      transforms: [...state.transforms],
    }),
    ask: <View extends keyof JsonAnswers>(request: () => Request<View> | null) => askJson<JsonAnswers[View]>(source, request),
    askBinary: <View extends keyof BinaryAnswers>(request: () => Request<View> | null) =>
      askBinary<BinaryAnswers[View]>(source, request),
    select: (selected) => navigate({ selected }, { replace: true }),
    details: () => pointed() ?? (state.selected === null ? null : { name: state.selected }),
    showDetails: (details) => showDetails(() => details),
    openFunctionMenu: (name, place, facts = {}) => setMenu({ name, place, ...facts }),
    say: (text) => speak({ text, isShown: true }),
    announce: (text) => speak({ text, isShown: false }),
    offerExport,
    userNotes,
    addFilter: (part) => {
      if (!state.filter.includes(part)) navigate({ filter: [...state.filter, part] });
    },
    addTransform: (line) => {
      if (!state.transforms.includes(line)) navigate({ transforms: [...state.transforms, line] });
    },
    setTimeRange: (range) => navigate({ filter: withTimeRange(state.filter, range) }),
    timeRange: createMemo(() => state.filter.map(timeRangeOf).find((range) => range !== null) ?? null),
  };
  return {
    app,
    menu,
    closeMenu: () => setMenu(null),
    spoken,
    offer,
    clearOffer: () => offerExport({}),
    experimentError: loaded.error,
    refresh: () => setGeneration((number) => number + 1),
  };
}
