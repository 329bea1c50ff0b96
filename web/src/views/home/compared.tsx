// The first page of a comparison: a sentence, the findings and the totals of both sides, the largest changes, and moved
// cost.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { ChangeBar, PresenceMark } from '../../compare/compared_columns';
import { ComparedMetrics } from '../../compare/compared_metrics';
import { ComparedNotes } from '../../compare/moved';
import { changeSentence, shortSide, sidesOf } from '../../compare/words';
import type { Column, ComparedCounter, Comparison, ComparisonView, FunctionRow } from '../../engine/answers';
import { quantity } from '../../format/compared';
import { shortName } from '../../format/names';
import { setCentre } from '../../parts/function_actions';
import { FunctionName, KindMark } from '../../parts/parts';
import { FindingsCard, FindingsSentence, useComparedFindings } from './compared_findings';

export function ComparedPage(props: { of: ComparisonView; comparison: Comparison }): JSX.Element {
  const app = useApp();
  const findings = useComparedFindings();
  return (
    <div class="home">
      <header class="home-head">
        <h1>
          {shortSide(props.comparison.baseline)} → {shortSide(props.comparison.candidate)}
        </h1>
        <FindingsSentence of={findings} />
      </header>
      <div class="home-grid">
        <div class="home-column">
          <Show when={findings.found()}>{(found) => <FindingsCard of={found()} />}</Show>
          <section class="card">
            <div class="card-head">
              <h2>Functions that changed most, exclusive</h2>
              <a class="link" href={app.href({ view: 'functions' })}>
                All functions
              </a>
            </div>
            <Changed of={props.of} />
          </section>
          <ComparedNotes notes={[...movedSentences(props.of), ...props.of.notes]} />
        </div>
        <div class="home-column">
          <section class="card">
            <div class="card-head">
              <h2>Totals {props.comparison.per.words}</h2>
              <a class="link" href={app.href({ view: 'flame-graph' })}>
                Flame graph
              </a>
            </div>
            {/* Each metric is scaled by its own total. */}
            <ComparedMetrics
              class="home-table compare-totals"
              cellClass="compare-cell"
              columns={props.of.columns}
              total={props.of.totals}
              values={props.of.totals}
            />
          </section>
          <Counters of={props.of} />
        </div>
      </div>
    </div>
  );
}

/** Values that are not sums of samples: elapsed time, throughput, memory, and values that the program printed. */
function Counters(props: { of: ComparisonView }): JSX.Element {
  const hint = (counter: ComparedCounter) => (counter.is_better_when === 'unknown' ? '' : `${counter.is_better_when} is better`);
  return (
    <Show when={props.of.counters.length > 0}>
      <section class="card">
        <div class="card-head">
          <h2>Mean of the runs</h2>
        </div>
        <dl class="compare-counters">
          <For each={props.of.counters}>
            {(counter) => (
              <>
                <dt>
                  {counter.title} <span class="dim">{hint(counter)}</span>
                </dt>
                <dd>{changeSentence(counter.baseline, counter.candidate, counter.unit ?? 'count')}</dd>
              </>
            )}
          </For>
        </dl>
      </section>
    </Show>
  );
}

/** `40.0 ms CPU moved from A.f to A.g, under A.h. The cost of A.h did not change` */
function movedSentences(of: ComparisonView): string[] {
  const [first] = of.columns;
  return of.moved.map(({ under, from, to, value }) => {
    const amount = `${quantity(value, first?.unit ?? 'count')} ${first?.title ?? ''}`.trim();
    return `${amount} moved from ${from.map(shortName).join(', ')} to ${to.map(shortName).join(', ')}, under ${shortName(under)}. The cost of ${shortName(under)} did not change`;
  });
}

function Changed(props: { of: ComparisonView }): JSX.Element {
  const app = useApp();
  const column = (): Column | undefined => {
    const first = props.of.columns[0];
    return first && { ...first, flavour: 'exclusive' };
  };
  const sides = (row: FunctionRow) => {
    const of = column();
    return of ? sidesOf(row, of) : { baseline: 0, candidate: 0 };
  };
  const sentence = (row: FunctionRow) => changeSentence(sides(row).baseline, sides(row).candidate, column()?.unit ?? 'count');
  const delta = (row: FunctionRow) => sides(row).candidate - sides(row).baseline;
  const most = () => Math.max(...props.of.top_functions.map((row) => Math.abs(delta(row))), 0);
  return (
    <ul class="compare-changed">
      <For each={props.of.top_functions} fallback={<li>Nothing changed.</li>}>
        {(row) => (
          <li>
            <span class="compare-cell compare-swing" aria-hidden="true">
              <ChangeBar ratio={most() === 0 ? 0 : delta(row) / most()} />
            </span>
            <button type="button" class="link home-function" onClick={() => setCentre(app, row.function)}>
              <KindMark kind={row.kind} />
              <PresenceMark {...sides(row)} />
              <FunctionName name={row.function} packageLength={16} />
            </button>
            <span class="dim">{sentence(row)}</span>
          </li>
        )}
      </For>
    </ul>
  );
}
