// All views, found by their folders: each `views/<name>/index.tsx` exports `view: ViewDefinition`.
import type { Component } from 'solid-js';
import type { App } from '../app';
import type { Experiment } from '../engine/shapes';
import type { AppState } from '../state/app_state';
import type { StateChange } from '../state/change';

export interface ViewDefinition {
  /** In the URL. */
  name: string;
  /** In the navigation. */
  title: string;
  /** One sentence, the question that the view answers. */
  question: string;
  /** `g` and this letter goes to the view. Taken: see the key help. */
  key: string;
  /** Place in the navigation, ascending; a step of 10 between neighbours. */
  order: number;
  group: 'start' | 'code' | 'time' | 'system' | 'hidden';
  component: Component;
  /** The view is about the selected function: finding one stays in it. */
  showsSelected?: boolean;
  /** What going to the view changes besides the view itself, for example the centre. */
  enter?: (state: AppState) => StateChange;
  /** Shown even if there is no experiment. */
  worksWithout?: boolean;
  /** In the navigation only where a verification is open. */
  needsVerification?: boolean;
  /** There only where the server has a fleet. It is not about one experiment: what is about one is not shown beside it. */
  needsFleet?: boolean;
  /** Why the experiment cannot show this view, else undefined; the view is then greyed out. */
  missing?: (experiment: Experiment) => string | undefined;
  /** Keys of this view, for the help: `['Enter', 'Zoom in']`. */
  keys?: readonly (readonly [keys: string, meaning: string])[];
}

const modules = import.meta.glob<{ view: ViewDefinition | undefined }>('./*/index.tsx', { eager: true });

export const VIEWS: readonly ViewDefinition[] = Object.values(modules)
  .flatMap((module) => module.view ?? [])
  .sort((left, right) => left.order - right.order);

export function viewNamed(name: string): ViewDefinition | undefined {
  return VIEWS.find((view) => view.name === name);
}

/** Whether the view is in the navigation. */
export function isOffered(view: ViewDefinition, app: Pick<App, 'verification' | 'hasFleet'>): boolean {
  return (!view.needsVerification || Boolean(app.verification())) && (!view.needsFleet || app.hasFleet());
}

/** The change of state that going to a view is. */
export function entering(view: ViewDefinition, state: AppState): StateChange {
  return { view: view.name, ...view.enter?.(state) };
}
