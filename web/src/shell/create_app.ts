// Makes the one `App` that all views use.
import { createEffect, createMemo, createResource, createSignal, on } from 'solid-js';
import type { App, Details, Export } from '../app';
import type { EngineError } from '../engine/answer';
import type { Engine } from '../engine/engine';
import type { Experiment } from '../engine/shapes';
import { type Source, askBinary, askJson } from '../engine/use_answer';
import { joinedFilter, timeRangeOf, withTimeRange } from '../state/filter_parts';
import { regrown } from '../state/change';
import { createNavigation } from '../state/history';
import { followExperiments } from './follow_experiments';
import type { MenuTarget } from './function_menu';

/** Where servers that have a fleet answer. */
const FLEET = '/api/fleet/';

/** What the frame itself needs besides what views see. */
export interface Frame {
  app: App;
  menu: () => MenuTarget | null;
  closeMenu(): void;
  spoken: () => string;
  offer: () => Export;
  clearOffer(): void;
  experimentError: () => EngineError | undefined;
  /** Asks everything anew. */
  refresh(): void;
}

export function createApp(engine: Engine): Frame {
  const { state, navigate, href } = createNavigation();
  const [generation, setGeneration] = createSignal(0);
  const [pointed, showDetails] = createSignal<Details | null>(null);
  const [menu, setMenu] = createSignal<MenuTarget | null>(null);
  const [spoken, say] = createSignal('', { equals: false });
  const [offer, offerExport] = createSignal<Export>({});

  const { experiments, reload } = followExperiments(engine, () => state.experiment, () => {
    navigate(regrown(state), { replace: true });
    setGeneration((number) => number + 1);
  });
  const [others] = createResource(async () => (await engine.others?.().catch(() => [])) ?? []);
  const hasFleet = () => others()?.includes(FLEET) ?? false;
  // Of a fleet nothing is open before something of it was chosen.
  const isNothingOpen = () => (hasFleet() || state.view === 'fleet') && !experiments()?.length;

  const source: Source = { engine, experiment: () => state.experiment, generation };
  const loaded = askJson<Experiment>(source, () => (isNothingOpen() ? null : { view: 'experiment', mode: state.mode }));
  const metric = createMemo(() => {
    const metrics = loaded.answer()?.metrics ?? [];
    return metrics.find(({ name }) => name === state.metric) ?? metrics[0];
  }, undefined, { equals: (left, right) => JSON.stringify(left) === JSON.stringify(right) });
  createEffect(() => {
    const selected = state.selected;
    if (selected !== null) showDetails(null);
  });

  // A fleet or a verification is what the page was opened for. Without any experiment, the programs that run here are where
  // one begins.
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

  const app: App = {
    engine,
    experiments: () => experiments() ?? [],
    reloadExperiments: reload,
    state,
    navigate,
    href,
    verification,
    hasFleet,
    experiment: loaded.answer,
    metric,
    query: (view) => ({
      view,
      mode: state.mode,
      filter: joinedFilter(state.filter),
      transforms: [...state.transforms],
    }),
    ask: (request) => askJson(source, request),
    askBinary: (request) => askBinary(source, request),
    select: (selected) => navigate({ selected }, { replace: true }),
    details: () => pointed() ?? (state.selected === null ? null : { name: state.selected }),
    showDetails: (details) => showDetails(() => details),
    openFunctionMenu: (name, place, facts = {}) => setMenu({ name, place, ...facts }),
    say,
    offerExport,
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
