// The dialog for the columns of tables: exclusive and inclusive metrics, as values and in percent, and the sort. The
// selection applies to all tables. Callers-callees shows the attributed values of the same metrics.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { comparisonOf } from '../compare/use_comparison';
import type { MetricLine } from '../engine/answers';
import { readable } from '../format/numbers';
import { closeDialogOf, Dialog } from '../parts/dialog';
import { type ColumnChoice, chosenColumns, comparedMetrics, defaultColumns, writtenColumns } from '../state/column_choice';
import './columns_dialog.css';

export function ColumnsButton(): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      <button type="button" class="button" data-columns aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Columns …
      </button>
      <Show when={isOpen()}>
        <ColumnsDialog onClose={() => setOpen(false)} />
      </Show>
    </>
  );
}

const KINDS = [
  ['e', false, 'value'],
  ['e', true, '%'],
  ['i', false, 'value'],
  ['i', true, '%'],
] as const;

function ColumnsDialog(props: { onClose(): void }): JSX.Element {
  const app = useApp();
  const metrics = (): readonly MetricLine[] => app.experiment()?.metrics ?? [];
  const [chosen, setChosen] = createSignal<readonly ColumnChoice[]>(
    chosenColumns(app.state.columns) ??
      defaultColumns(app.state.metric ?? app.metric()?.name, metrics(), app.state.metric === null),
  );
  const [sort, setSort] = createSignal<string>(app.state.sort ?? '');
  const has = (flavour: string, metric: string, isPercent: boolean) =>
    chosen().some((each) => each.flavour === flavour && each.metric === metric && each.isPercent === isPercent);
  const toggle = (flavour: 'e' | 'i', metric: string, isPercent: boolean) => {
    const others = chosen().filter(
      (each) => !(each.flavour === flavour && each.metric === metric && each.isPercent === isPercent),
    );
    setChosen(others.length < chosen().length ? others : [...others, { flavour, metric, isPercent }]);
  };
  const written = () => writtenColumns(chosen(), metrics());
  // A comparison shows both sides and the change of each metric, but no percent.
  const kinds = () => KINDS.filter(([, isPercent]) => !isPercent || !comparisonOf(app));
  const sorts = () => {
    const words = (comparisonOf(app) ? comparedMetrics(written()) : written()).split(',').filter((word) => word !== '');
    const parts = comparisonOf(app) ? [':delta', ':ratio', ':baseline', ':candidate'] : [''];
    return [...words.flatMap((word) => parts.map((part) => `${word}${part}`)), 'name'];
  };
  const apply = (button: Element) => {
    const word = sort();
    app.navigate({ columns: written(), sort: sorts().includes(word) ? word : null });
    closeDialogOf(button);
  };
  return (
    <Dialog title="Columns of tables" class="columns-dialog" onClose={() => props.onClose()}>
      <div class="columns-scroll">
        <table class="columns-grid">
          <thead>
            <tr>
              <th rowSpan={2} scope="col">
                Metric
              </th>
              <th colSpan={kinds().length / 2} scope="colgroup">
                Exclusive
              </th>
              <th colSpan={kinds().length / 2} scope="colgroup">
                Inclusive
              </th>
              <th rowSpan={2} scope="col" class="columns-total">
                {comparisonOf(app) ? '' : 'Total'}
              </th>
            </tr>
            <tr>
              <For each={kinds()}>{([, , title]) => <th scope="col">{title}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={metrics()}>
              {(metric) => (
                <tr>
                  <th scope="row">{metric.title}</th>
                  <For each={kinds()}>
                    {([flavour, isPercent, title]) => (
                      <td>
                        <input
                          type="checkbox"
                          aria-label={`${flavour === 'e' ? 'Exclusive' : 'Inclusive'} ${metric.title}, ${title}`}
                          checked={has(flavour, metric.name, isPercent)}
                          onChange={() => toggle(flavour, metric.name, isPercent)}
                        />
                      </td>
                    )}
                  </For>
                  <td class="columns-total">{comparisonOf(app) ? '' : readable(metric.total, metric.unit)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <div class="columns-foot">
        <label class="picker">
          Sort by
          <select value={sort()} onChange={(event) => setSort(event.currentTarget.value)}>
            <option value="">the first column</option>
            <For each={sorts()}>{(word) => <option value={word}>{sortTitle(word, metrics())}</option>}</For>
          </select>
        </label>
        <span class="spring" />
        <button
          type="button"
          class="button quiet"
          onClick={(event) => {
            app.navigate({ columns: null, sort: null });
            closeDialogOf(event.currentTarget);
          }}
        >
          Reset
        </button>
        <button type="button" class="button" onClick={(event) => closeDialogOf(event.currentTarget)}>
          Cancel
        </button>
        <button
          type="button"
          class="button main"
          disabled={chosen().length === 0}
          onClick={(event) => apply(event.currentTarget)}
        >
          Apply
        </button>
      </div>
    </Dialog>
  );
}

function sortTitle(word: string, metrics: readonly MetricLine[]): string {
  if (word === 'name') return 'name';
  const [column = '', part] = word.split(':');
  const choice = chosenColumns(column)?.[0];
  if (!choice) return word;
  const title = metrics.find(({ name }) => name === choice.metric)?.title ?? choice.metric;
  return `${choice.flavour === 'e' ? 'exclusive' : 'inclusive'} ${title}${choice.isPercent ? ' %' : ''}${part === undefined ? '' : `, ${PART_WORDS[part] ?? part}`}`;
}

const PART_WORDS: Record<string, string> = { delta: 'change', ratio: 'change in proportion' };
