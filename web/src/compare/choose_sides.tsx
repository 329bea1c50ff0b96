// The dialog in which the user chooses the baseline and the candidate of a comparison, and the buttons of a shown
// comparison.
import { createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { type App, useApp } from '../app';
import { compare } from '../engine/comparisons';
import type { ComparedNumbers } from '../engine/engine';
import { HttpEngine } from '../engine/http';
import { comparable, firstSides, swapped, withoutSides } from './sides';
import './choose_sides.css';

/** Opens the dialog. Without two experiments to compare, there is no button. */
export function CompareButton(): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = createSignal(false);
  const first = () => (app.canCompare() ? firstSides(app.experiments(), app.state.experiment) : null);
  return (
    <Show when={first()}>
      {(sides) => (
        <>
          <button type="button" class="button compare-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            Compare …
          </button>
          <Show when={isOpen()}>
            <CompareDialog first={sides()} onClose={() => setOpen(false)} />
          </Show>
        </>
      )}
    </Show>
  );
}

function CompareDialog(props: { first: ComparedNumbers; onClose(): void }): JSX.Element {
  const app = useApp();
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  const [sides, setSides] = createSignal(props.first);
  const [isLoading, setLoading] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  const isSame = () => sides().baseline.some((number) => sides().candidate.includes(number));
  const open = async () => {
    setLoading(true);
    setProblem(await openComparison(app, sides()));
    setLoading(false);
    if (problem() === '') dialog.close();
  };
  return (
    <dialog
      class="dialog compare-dialog"
      ref={dialog}
      aria-labelledby="compare-title"
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && dialog.close()}
    >
      <div class="dialog-head">
        <h2 id="compare-title">Compare two experiments</h2>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={() => dialog.close()}>
          ×
        </button>
      </div>
      <div class="compare-sides">
        <SidePicker
          label="Baseline, before the change"
          numbers={sides().baseline}
          onChange={(baseline) => setSides({ ...sides(), baseline })}
        />
        <SidePicker
          label="Candidate, after the change"
          numbers={sides().candidate}
          onChange={(candidate) => setSides({ ...sides(), candidate })}
        />
        <Show when={isSame()}>
          <p class="dim">Choose two different experiments.</p>
        </Show>
        <Show when={problem()}>
          <p role="alert">{problem()}</p>
        </Show>
      </div>
      <div class="compare-foot">
        <button type="button" class="button quiet" onClick={() => setSides(swapped(sides()))}>
          Swap
        </button>
        <span class="spring" />
        <button type="button" class="button" onClick={() => dialog.close()}>
          Cancel
        </button>
        <button type="button" class="button main" disabled={isSame() || isLoading()} onClick={() => void open()}>
          {isLoading() ? 'Comparing …' : 'Compare'}
        </button>
      </div>
    </dialog>
  );
}

/** Selects one experiment. Several runs of a side, from the command line, are one more choice. */
function SidePicker(props: {
  label: string;
  numbers: readonly number[];
  onChange(numbers: readonly number[]): void;
}): JSX.Element {
  const app = useApp();
  const choices = () => comparable(app.experiments()).map(([number, title]) => [[number] as readonly number[], title] as const);
  const several = () => (props.numbers.length > 1 ? [[props.numbers, `${props.numbers.length} runs`] as const] : []);
  const all = () => [...several(), ...choices()];
  const word = (numbers: readonly number[]) => numbers.join(',');
  const choose = (text: string) => {
    const chosen = all().find(([numbers]) => word(numbers) === text);
    if (chosen) props.onChange(chosen[0]);
  };
  return (
    <label>
      <span>{props.label}</span>
      <select value={word(props.numbers)} onChange={(event) => choose(event.currentTarget.value)}>
        <For each={all()}>
          {([numbers, title]) => (
            <option value={word(numbers)} selected={word(numbers) === word(props.numbers)}>
              {title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/** Swaps the sides of the shown comparison, and ends the comparison. */
export function SideButtons(): JSX.Element {
  const app = useApp();
  const [isLoading, setLoading] = createSignal(false);
  const sides = () => app.experiments()[app.state.experiment]?.sides;
  const swap = async (of: ComparedNumbers) => {
    setLoading(true);
    const problem = await openComparison(app, swapped(of));
    setLoading(false);
    if (problem !== '') app.say(problem);
  };
  return (
    <Show when={sides()}>
      {(of) => (
        <span class="compare-side-buttons">
          <Show when={app.canCompare()}>
            <button type="button" class="button quiet" disabled={isLoading()} onClick={() => void swap(of())}>
              Swap sides
            </button>
          </Show>
          <button type="button" class="button quiet" onClick={() => endComparison(app, of())}>
            End comparison
          </button>
        </span>
      )}
    </Show>
  );
}

/** Compares and shows the comparison. Returns why this is not possible; empty if it is. */
async function openComparison(app: App, sides: ComparedNumbers): Promise<string> {
  if (!(app.engine instanceof HttpEngine)) return 'A report file has no comparisons.';
  try {
    const experiment = await compare(app.engine, sides);
    await app.reloadExperiments();
    app.navigate({ experiment, filter: withoutSides(app.state.filter) });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Shows the overview of the candidate alone. Other views could still ask for columns of the comparison. */
function endComparison(app: App, { candidate }: ComparedNumbers): void {
  const [experiment = 0] = candidate;
  app.navigate({ view: 'home', experiment, filter: withoutSides(app.state.filter) });
}
