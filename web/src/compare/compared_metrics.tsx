// The table of one item of a comparison. Each metric has a row with both sides, the change and the ratio.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { Column, Values } from '../engine/answers';
import { ChangeBar, type ComparedCell, comparedCells } from './compared_columns';
import { changeBy } from './use_comparison';

/** `total`: the base of the scale and of absolute changes. */
export function ComparedMetrics(props: {
  class: string;
  cellClass: string;
  columns: readonly Column[];
  total: Values;
  values: Values;
}): JSX.Element {
  const app = useApp();
  const metrics = () => {
    const cells = comparedCells(props.columns, props.total, changeBy(app));
    return [...new Set(cells.map((cell) => cell.group))].map((title) => ({
      title,
      cells: cells.filter((cell) => cell.group === title),
    }));
  };
  return (
    <table class={props.class}>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <For each={['Baseline', 'Candidate', 'Change', 'Change %']}>{(title) => <th scope="col">{title}</th>}</For>
        </tr>
      </thead>
      <tbody>
        <For each={metrics()}>
          {({ title, cells }) => (
            <tr>
              <th scope="row">{[title, unitOf(cells)].filter((part) => part !== '').join(', ')}</th>
              <For each={cells}>
                {(cell) => (
                  <td class={props.cellClass} classList={{ dim: cell.isDim(props.values) }}>
                    <Show when={cell.bar}>{(bar) => <ChangeBar ratio={bar()(props.values)} />}</Show>
                    <span class="cell-text">{cell.text(props.values)}</span>
                  </td>
                )}
              </For>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/** `Baseline µs` -> `µs` */
function unitOf(cells: readonly ComparedCell[]): string {
  return cells[0]?.title.replace(/^Baseline ?/, '') ?? '';
}
