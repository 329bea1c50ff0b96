// The line above every view of a comparison: what is compared, per what, how far it can be trusted, and which change
// is emphasised.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import type { ComparedSide } from '../engine/shapes';
import { Segments } from '../shell/parts';
import type { ChangeBy } from './change';
import { changeBy, comparisonOf, setChangeBy } from './use_comparison';
import { perWords, shortSide, sideFacts } from './words';
import './compare.css';

const BY: readonly (readonly [ChangeBy, string, string])[] = [
  ['absolute', 'Absolute', 'Emphasise, colour and sort by how much was gained or lost: x'],
  ['proportional', 'Proportional', 'Emphasise, colour and sort by how many times as much: x'],
];

export function ComparisonBand(): JSX.Element {
  const app = useApp();
  return (
    <Show when={comparisonOf(app)}>
      {(comparison) => (
        <section class="compare-band" aria-label="Comparison">
          <Side title="Baseline" side={comparison().baseline} />
          <span aria-hidden="true">→</span>
          <Side title="Candidate" side={comparison().candidate} />
          <span class="compare-per">{perWords(comparison())}</span>
          <span class="spring" />
          <span class="compare-by">
            <span class="dim">Changes</span>
            <Segments label="Emphasised change" value={changeBy(app)} choices={BY} onChange={(by) => setChangeBy(app, by)} />
          </span>
          <Show when={comparison().words}>{(words) => <span class="compare-trust">{sentence(words())}</span>}</Show>
        </section>
      )}
    </Show>
  );
}

/** `one run … since runs differ` -> `One run … since runs differ.` */
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
