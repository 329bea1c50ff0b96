// The definition of a view. Each folder of `views` exports one `ViewDefinition`.
import type { Component } from 'solid-js';
import type { App } from './app';
import type { ExperimentAnswer } from './engine/answers';
import type { AppState } from './state/app_state';
import type { StateChange } from './state/change';

export interface ViewDefinition {
  /** The view's name in the URL. */
  name: string;
  /** The view's title in the navigation. */
  title: string;
  /** The question that the view answers, in one sentence. */
  question: string;
  /** `g` and this letter go to the view. The help lists the letters in use. */
  key: string;
  /** Position in the navigation, ascending. Neighbours differ by 10. */
  order: number;
  group: 'start' | 'code' | 'time' | 'system' | 'hidden';
  component: Component;
  /** The view shows the selected function, so finding a function does not leave this view. */
  showsSelected?: boolean;
  /** Other changes of the state when the user goes to the view, for example of the centre. */
  enter?: (state: AppState) => StateChange;
  /** The view is shown even if there is no experiment. */
  worksWithout?: boolean;
  /** The navigation shows the view only if a verification is open. */
  needsVerification?: boolean;
  /**
   * The view exists only if the server has a fleet. The view is not about one experiment, so controls for one
   * experiment are hidden.
   */
  needsFleet?: boolean;
  /**
   * The reason why the experiment cannot show this view; undefined if it can. The navigation then shows the view in
   * grey.
   */
  missing?: (experiment: ExperimentAnswer) => string | undefined;
  /** Keys of this view for the help: `['Enter', 'Zoom in']`. */
  keys?: readonly (readonly [keys: string, meaning: string])[];
}

/** Whether the view is in the navigation. */
export function isOffered(view: ViewDefinition, app: Pick<App, 'verification' | 'hasFleet'>): boolean {
  return (!view.needsVerification || Boolean(app.verification())) && (!view.needsFleet || app.hasFleet());
}

/** The change of the state when the user goes to a view. */
export function entering(view: ViewDefinition, state: AppState): StateChange {
  return { view: view.name, ...view.enter?.(state) };
}
