// A verification: its result in words and as intervals next to the neutral margin, and the values of each run.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { Endpoint, FunctionChange, Verification } from '../../engine/verification';
import { quantity, wholePercent } from '../../format/compared';
import { counted, grouped } from '../../format/numbers';
import { setCentre } from '../../parts/function_actions';
import { FunctionName, KindMark, Toolbar } from '../../parts/parts';
import type { ViewDefinition } from '../../view';
import { IntervalPicture, intervalWords, RunsPicture, valueWords } from './drawn';
import { axisFor, type RatioAxis } from './pictures';
import { SIDES } from './side';
import { verdictWords } from './verdict_words';
import './verification.css';

function VerificationView(): JSX.Element {
  const app = useApp();
  return (
    <Show
      when={app.verification()}
      fallback={
        <>
          <Toolbar title="Verification" />
          <p class="missing-view">
            No verification is open. <code>whittle verify -o DIR …</code> makes one, and <code>whittle view DIR</code> shows it.
          </p>
        </>
      }
    >
      {(of) => (
        <>
          <Toolbar title="Verification" subtitle={runsWords(of())} />
          <div class="vf-page">
            <VerdictCard of={of()} />
            <Endpoints of={of()} />
            <Functions of={of()} />
          </div>
        </>
      )}
    </Show>
  );
}

/** `5 runs per side, interleaved, and 5 profiled runs` */
function runsWords({ run_counts, design }: Verification): string {
  const { baseline, candidate, baseline_profiled, candidate_profiled } = run_counts;
  const counts =
    baseline === candidate
      ? `${counted(baseline, 'run')} per side`
      : `${counted(baseline, 'run')} of the baseline, ${candidate} of the candidate`;
  const profiled = baseline_profiled + candidate_profiled;
  return [
    counts,
    design.order === 'interleaved' ? 'interleaved' : 'first one side, then the other',
    profiled > 0 && `and ${profiled} profiled runs`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** A sign next to the word, for readers who do not see its colour. */
const SIGNS: Record<string, string> = { improved: '✓', worse: '✗', changed: '≠', no_relevant_change: '=', inconclusive: '?' };

/** A warning that a reader needs before the verdict, because the verdict alone misleads. */
function isCaution({ kind }: { kind: string }): boolean {
  return kind === 'fixed_run_time';
}

function VerdictCard(props: { of: Verification }): JSX.Element {
  return (
    <section class={`vf-verdict ${props.of.verdict.word}`} aria-label="Verdict">
      <For each={props.of.doubts.filter(isCaution)}>
        {(doubt) => (
          <p>
            <strong>Caution:</strong> {doubt.text}
          </p>
        )}
      </For>
      <h2 class="vf-word">
        <span aria-hidden="true">{SIGNS[props.of.verdict.word] ?? ''}</span> {props.of.words}
      </h2>
      <For each={props.of.sentences}>{(sentence) => <p>{sentence}</p>}</For>
      <dl class="vf-commands">
        <For each={SIDES}>
          {(side) => (
            <>
              <dt>{side === 'baseline' ? 'Baseline' : 'Candidate'}</dt>
              <dd>
                <code>{props.of.design[side]}</code>
              </dd>
            </>
          )}
        </For>
      </dl>
      <Show when={props.of.doubts.some((doubt) => !isCaution(doubt))}>
        <div>
          <h3>Limitations</h3>
          <ul class="vf-doubts">
            <For each={props.of.doubts.filter((each) => !isCaution(each))}>{(doubt) => <li>{doubt.text}</li>}</For>
          </ul>
        </div>
      </Show>
    </section>
  );
}

function Endpoints(props: { of: Verification }): JSX.Element {
  return (
    <section aria-label="Endpoints">
      <div class="vf-key">
        <span>
          <svg width="12" height="12" aria-hidden="true">
            <circle class="vf-baseline" cx="6" cy="6" r="4" />
          </svg>{' '}
          baseline
        </span>
        <span>
          <svg width="12" height="12" aria-hidden="true">
            <rect class="vf-candidate" x="2" y="2" width="8" height="8" />
          </svg>{' '}
          candidate
        </span>
        <span>
          <svg width="16" height="12" aria-hidden="true">
            <rect class="vf-margin" width="16" height="12" />
          </svg>{' '}
          no relevant change, within ±{wholePercent(props.of.design.margin_ratio)}
        </span>
      </div>
      <For each={props.of.endpoints}>{(endpoint) => <EndpointRow of={endpoint} whole={props.of} />}</For>
    </section>
  );
}

function EndpointRow(props: { of: Endpoint; whole: Verification }): JSX.Element {
  // Each endpoint has its own axis: if an axis includes a change of -97 %, the margin shrinks to a line.
  const axis = () => axisFor([props.of], props.whole.design.margin_ratio);
  const facts = () => {
    const { noise_ratio, detectable_ratio, better } = props.of;
    return [
      noise_ratio !== null && `noise between runs: ${wholePercent(noise_ratio)}`,
      detectable_ratio !== null && `smallest detectable change: ${wholePercent(detectable_ratio)}`,
      better === 'larger' && 'larger is better',
    ].filter((fact): fact is string => typeof fact === 'string');
  };
  return (
    <article class="vf-endpoint" aria-label={props.of.name}>
      <div>
        <h3>
          {props.of.name}
          <Show when={props.of.is_primary}>
            <span class="vf-primary">primary</span>
          </Show>
        </h3>
        <p class={`vf-said ${props.of.verdict.word}`}>
          <span aria-hidden="true">{SIGNS[props.of.verdict.word] ?? ''}</span> {verdictWords(props.of.verdict)}
        </p>
        <p>{props.of.sentence}</p>
        <p class="vf-caption">{facts().join('; ')}</p>
        <RunValues of={props.of} whole={props.whole} />
      </div>
      <div>
        <IntervalPicture
          of={props.of}
          axis={axis()}
          marginRatio={props.whole.design.margin_ratio}
          verdict={props.of.verdict}
          hasTicks
        />
        <p class="vf-caption">candidate against baseline: {intervalWords(props.of)}</p>
      </div>
      <div>
        <RunsPicture of={props.of} runs={props.whole.runs} />
        <p class="vf-caption">
          runs in time order; mean {valueWords(props.of.baseline.mean, props.of)} →{' '}
          {valueWords(props.of.candidate.mean, props.of)}
        </p>
      </div>
    </article>
  );
}

function RunValues(props: { of: Endpoint; whole: Verification }): JSX.Element {
  const rows = () =>
    SIDES.flatMap((side) => props.of[side].values.map(({ run, value }) => ({ side, value, place: props.whole.runs[run] }))).sort(
      (left, right) => (left.place?.order ?? 0) - (right.place?.order ?? 0),
    );
  return (
    <details>
      <summary class="dim">Values of the runs</summary>
      <table class="vf-values">
        <thead>
          <tr>
            <For each={['Run', 'Pair', 'Side', 'Value']}>{(title) => <th scope="col">{title}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={rows()}>
            {(row) => (
              <tr>
                <td>{(row.place?.order ?? 0) + 1}</td>
                <td>{row.place?.pair === null || row.place?.pair === undefined ? '–' : row.place.pair + 1}</td>
                <td>{row.side}</td>
                <td>{valueWords(row.value, props.of)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </details>
  );
}

function Functions(props: { of: Verification }): JSX.Element {
  return (
    <Show when={props.of.functions}>
      {(functions) => {
        const axis = () => axisFor(functions().changed, props.of.design.margin_ratio);
        return (
          <section aria-label="Functions">
            <h2>{functions().is_looks_like ? 'Functions that may have changed' : 'Functions that changed'}</h2>
            <p class="dim">
              {grouped(functions().changed.length)} of {counted(functions().tested_count, 'tested function')}, exclusive CPU time
              per {functions().per}. About {wholePercent(functions().false_discovery_ratio)} of the listed functions may be listed
              by chance. The intervals are corrected for this selection.
            </p>
            <Show when={functions().changed.length > 0}>
              <table class="vf-functions">
                <thead>
                  <tr>
                    <For each={['Function', 'Baseline', 'Candidate', 'Change and interval', '']}>
                      {(title) => <th scope="col">{title}</th>}
                    </For>
                  </tr>
                </thead>
                <tbody>
                  <For each={functions().changed}>
                    {(each) => <FunctionRow of={each} axis={axis()} marginRatio={props.of.design.margin_ratio} />}
                  </For>
                </tbody>
              </table>
            </Show>
            <For each={functions().moved}>{(moved) => <p>{moved.sentence}</p>}</For>
          </section>
        );
      }}
    </Show>
  );
}

function FunctionRow(props: { of: FunctionChange; axis: RatioAxis; marginRatio: number }): JSX.Element {
  const app = useApp();
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link home-function" onClick={() => setCentre(app, props.of.name)}>
          <KindMark kind={props.of.kind ?? ''} />
          <FunctionName name={props.of.name} packageLength={20} />
        </button>
      </th>
      <td class="vf-number">{quantity(props.of.baseline_ns, 'nanoseconds')}</td>
      <td class="vf-number">{quantity(props.of.candidate_ns, 'nanoseconds')}</td>
      <td>{intervalWords(props.of, 'corrected')}</td>
      <td>
        <IntervalPicture of={props.of} axis={props.axis} marginRatio={props.marginRatio} />
      </td>
    </tr>
  );
}

export const view: ViewDefinition = {
  name: 'verification',
  title: 'Verification',
  question: 'Is the candidate better, by how much, and how certain is that?',
  key: 'v',
  order: 15,
  group: 'start',
  component: VerificationView,
  worksWithout: true,
  needsVerification: true,
};
