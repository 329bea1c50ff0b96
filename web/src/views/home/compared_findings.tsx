// The findings of both sides of a comparison: a sentence, and the lists of those that are gone, new and the same.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { hasSides } from '../../compare/use_comparison';
import type { ComparedFinding, ComparedFindings } from '../../engine/answers';
import type { Asked } from '../../engine/use_answer';
import { FunctionName } from '../../parts/parts';
import { Words } from '../../parts/words';
import { detailWords, findingLists, isOfBothSides, sharesWords } from './compared_words';

/** The findings of both sides. They are those of the whole runs, so a filter does not request them again. */
export interface FindingsOfBothSides {
  found(): ComparedFindings | undefined;
  problem(): string | undefined;
  /** False in a fleet, which has no runs to examine. */
  hasRuns(): boolean;
}

const SEARCHING = 'Searching for the findings of both sides …';

/** Requests the findings. They arrive later than the overview, because detectors examine each run. */
export function useComparedFindings(): FindingsOfBothSides {
  const app = useApp();
  // Comparisons of a fleet have no sides.
  const hasRuns = () => hasSides(app);
  const asked: Asked<Parameters<typeof isOfBothSides>[0]> = app.ask(() => (hasRuns() ? { view: 'findings' } : null));
  const found = () => {
    const answer = asked.answer();
    return answer && isOfBothSides(answer) ? answer : undefined;
  };
  return { found, problem: () => asked.error()?.message, hasRuns };
}

/** What these runs show, in one sentence. */
export function FindingsSentence(props: { of: FindingsOfBothSides }): JSX.Element {
  return (
    <p class="compare-sentence" role="status">
      <Show when={props.of.found()} fallback={props.of.problem() ?? (props.of.hasRuns() ? SEARCHING : '')}>
        {(found) => found().sentence}
      </Show>
    </p>
  );
}

/** The lists. Without findings, there is no card. */
export function FindingsCard(props: { of: ComparedFindings }): JSX.Element {
  return (
    <Show when={findingLists(props.of).length > 0}>
      <section class="card" aria-labelledby="compared-findings">
        <div class="card-head">
          <h2 id="compared-findings">Findings of both sides</h2>
        </div>
        <For each={findingLists(props.of)}>
          {({ title, rows }) => (
            <>
              <h3 class="compare-list-title">{title}</h3>
              <ul class="compare-findings">
                <For each={rows}>{(row) => <Row of={row} in={props.of} />}</For>
              </ul>
            </>
          )}
        </For>
        <For each={props.of.notes}>
          {(note) => (
            <p class="dim">
              <Words of={note} />
            </p>
          )}
        </For>
      </section>
    </Show>
  );
}

function Row(props: { of: ComparedFinding; in: ComparedFindings }): JSX.Element {
  return (
    <li>
      <strong>{props.of.title}</strong> <FunctionName name={props.of.function} packageLength={16} />
      <div>{sharesWords(props.of, props.in.comparison)}</div>
      <Show when={detailWords(props.of)}>{(words) => <div class="dim">{words()}</div>}</Show>
    </li>
  );
}
