// The meaning of the colours of changes.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { wholePercent } from '../format/compared';
import { appearance } from '../theme/appearance';
import { ABSOLUTE_STEPS, type ChangeBy, type ChangeStep, PROPORTIONAL_STEPS } from './change';
import { changeColour } from './change_colours';
import { changeBy } from './use_comparison';
import './compare.css';

const STEPS: readonly ChangeStep[] = [-3, -2, -1, 0, 1, 2, 3];

export function ChangeLegend(props: { isSearching: boolean }): JSX.Element {
  const app = useApp();
  return (
    <ul class="compare-legend" aria-label="Colours">
      <For each={STEPS}>
        {(step) => (
          <li>
            <span class="legend-colour" style={{ background: changeColour(step, appearance()) }} />
            {stepWords(step, changeBy(app))}
          </li>
        )}
      </For>
      <Show when={props.isSearching}>
        <li>pale: no match</li>
      </Show>
    </ul>
  );
}

/** `+8 % of the total or more`, `half or less, removed`. */
export function stepWords(step: ChangeStep, by: ChangeBy): string {
  const size = Math.abs(step);
  const sign = step < 0 ? '\u2212' : '+';
  if (by === 'absolute') {
    if (size === 0) return `within ±${wholePercent(ABSOLUTE_STEPS[0])} of the total`;
    return `${sign}${wholePercent(ABSOLUTE_STEPS[size - 1]!)} of the total${size === 3 ? ' or more' : ''}`;
  }
  if (size === 0) return `within ±${wholePercent(PROPORTIONAL_STEPS[0] - 1)}`;
  if (size === 3) return step < 0 ? 'half or less, removed' : 'double or more, new';
  const factor = PROPORTIONAL_STEPS[size - 1]!;
  // 1 - 1 / 1.05 is slightly less than 5 %. The legend rounds it.
  const change = Math.round((step < 0 ? 1 - 1 / factor : factor - 1) * 100) / 100;
  return `${sign}${wholePercent(change)}${size === 2 ? ' or more' : ''}`;
}
