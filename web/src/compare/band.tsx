// The line above every view of a comparison: both sides, the divisor of the values, how reliable the comparison is, and the
// highlighted change.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { ComparedSide } from '../engine/answers';
import { Segments } from '../parts/parts';
import type { ChangeBy } from './change';
import { SideButtons } from './choose_sides';
import { changeBy, comparisonOf, setChangeBy } from './use_comparison';
import { shortSide, sideFacts } from './words';
import './compare.css';

const BY: readonly (readonly [ChangeBy, string, string])[] = [
  ['absolute', 'Absolute', 'Highlight and sort by the difference between both sides (key x)'],
  ['proportional', 'Proportional', 'Highlight and sort by the ratio of candidate to baseline (key x)'],
];

/** Where the unit of all values comes from. */
const PER = 'The option --per of whittle view sets this unit: second, cpu-second, run, or a unit of work that all runs count';

export function ComparisonBand(): JSX.Element {
  const app = useApp();
  return (
    <Show when={comparisonOf(app)}>
      {(comparison) => (
        <section class="compare-band" aria-label="Comparison">
          <Side title="Baseline" side={comparison().baseline} />
          <span aria-hidden="true">→</span>
          <Side title="Candidate" side={comparison().candidate} />
          <span class="compare-per" title={PER}>
            Values {comparison().per.words}
          </span>
          <SideButtons />
          <span class="spring" />
          <span class="compare-by">
            <span class="dim">Changes</span>
            <Segments label="Highlighted change" value={changeBy(app)} choices={BY} onChange={(by) => setChangeBy(app, by)} />
          </span>
          <Show when={comparison().words}>{(words) => <span class="compare-trust">{sentence(words())}</span>}</Show>
        </section>
      )}
    </Show>
  );
}

/** Text as a sentence, with a capital letter and a full stop. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

function Side(props: { title: string; side: ComparedSide }): JSX.Element {
  return (
    <span class="compare-side" title={props.side.name}>
      {props.title} <b>{shortSide(props.side)}</b> <span class="dim">{sideFacts(props.side)}</span>
    </span>
  );
}
