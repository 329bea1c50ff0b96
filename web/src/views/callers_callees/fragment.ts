// Changes the centre. Frames are added and removed only at its ends, because the frames call each other directly.
import { CENTRE, TOTAL_CENTRE } from '../../parts/function_actions';
import type { AppState } from '../../state/app_state';
import type { StateChange } from '../../state/change';

export type End = 'callers' | 'callees';

export function centred(name: string): string[] {
  return name === '<Total>' || name === '' ? [] : [name];
}

/** A caller goes before the outermost frame, a callee after the innermost. */
export function added(fragment: readonly string[], name: string, end: End): string[] {
  return end === 'callers' ? [name, ...fragment] : [...fragment, name];
}

export function removed(fragment: readonly string[], end: End): string[] {
  return end === 'callers' ? fragment.slice(1) : fragment.slice(0, -1);
}

/** False if the view chooses the centre: there is no fragment, and the user did not centre on `<Total>`. */
export function isCentreChosen({ fragment, options }: Pick<AppState, 'fragment' | 'options'>): boolean {
  return fragment.length > 0 || options[CENTRE] === TOTAL_CENTRE;
}

/** The change to another centre. Its innermost frame is selected. */
export function centreChange({ options }: Pick<AppState, 'options'>, fragment: string[]): StateChange {
  const last = fragment.at(-1);
  return last === undefined ? { fragment, options: { ...options, [CENTRE]: TOTAL_CENTRE } } : { fragment, selected: last };
}
