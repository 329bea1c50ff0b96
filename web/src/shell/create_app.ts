// Makes the one `App` that all views use.
import { createEffect, createMemo, createSignal, on } from 'solid-js';
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

  const source: Source = { engine, experiment: () => state.experiment, generation };
  const loaded = askJson<Experiment>(source, () => ({ view: 'experiment', mode: state.mode }));
  const metric = createMemo(() => {
    const metrics = loaded.answer()?.metrics ?? [];
    return metrics.find(({ name }) => name === state.metric) ?? metrics[0];
  }, undefined, { equals: (left, right) => JSON.stringify(left) === JSON.stringify(right) });
  createEffect(() => {
    const selected = state.selected;
    if (selected !== null) showDetails(null);
  });

  const { experiments, reload } = followExperiments(engine, () => state.experiment, () => {
    navigate(regrown(state), { replace: true });
    setGeneration((number) => number + 1);
  });

  // Without any experiment, the programs that run here are where one begins.
  createEffect(
    on(experiments, (all) => {
      if (all?.length === 0 && state.view === 'home') navigate({ view: 'experiments' }, { replace: true });
    }),
  );

  const app: App = {
    engine,
    experiments: () => experiments() ?? [],
    reloadExperiments: reload,
    state,
    navigate,
    href,
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
