// Findings as cards: the cause, its callers, the line to edit and the expected saving. Warnings about the data come first.

import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { hasSides } from '../../compare/use_comparison';
import type { EditSite, Finding, FindingsView, OtherSite } from '../../engine/answers';
import { counted } from '../../format/numbers';
import { interval, share } from '../../format/shares';
import { FunctionName } from '../../parts/parts';
import { Words } from '../../parts/words';
import { joinedFilter } from '../../state/filter_parts';
import {
  deniedWords,
  expectedWords,
  holderWords,
  minorWords,
  missingData,
  nothingFound,
  ofProgram,
  placeOf,
  predictionWords,
  showIn,
  siteFunction,
  spentValue,
  trialNotes,
  trialWords,
  unitCostWords,
  viewsOf,
  withRest,
  workWords,
} from './findings_answer';
import './findings.css';
import { GuideLink, GuidePanel } from './guide';
import { MeasuredSaving } from './measured_saving';

/** Requests the findings for the filter, and shows them. */
export function FindingsSection(): JSX.Element {
  const app = useApp();
  // A report file contains its findings together with their guide pages.
  const guides = app.engine.kind === 'server' ? { guides: true } : {};
  // A comparison has findings of its own. This section is still there until the comparison's overview has arrived.
  const asked = app.ask(() => (hasSides(app) ? null : { view: 'findings', filter: joinedFilter(app.state.filter), ...guides }));
  const single = () => {
    const answer = asked.answer();
    return answer && 'findings' in answer ? answer : undefined;
  };
  return (
    <section class="findings" aria-label="Findings" aria-busy={asked.isLoading()} classList={{ stale: asked.isLoading() }}>
      <Show when={single()} fallback={<Waiting problem={asked.error()?.message} />}>
        {(answer) => <FindingCards of={answer()} />}
      </Show>
    </section>
  );
}

function Waiting(props: { problem: string | undefined }): JSX.Element {
  return (
    <Show when={props.problem} fallback={<p class="dim">Checking for known patterns …</p>}>
      {(problem) => <p class="dim">No findings: {problem()}</p>}
    </Show>
  );
}

export function FindingCards(props: { of: FindingsView }): JSX.Element {
  const app = useApp();
  const isOfOtherSamples = () => props.of.filter === null && app.state.filter.length > 0;
  // Every link contains the filter that the findings were computed with.
  const parts = () => (props.of.filter === null ? [] : app.state.filter);
  return (
    <>
      <div class="findings-head">
        <h2>Findings</h2>
        <p class="dim">{workWords(props.of)}</p>
      </div>
      <Show when={isOfOtherSamples()}>
        <p class="findings-whole">
          These are the findings of the whole experiment. The filter does not change them. Use whittle view for findings of a
          selection.
        </p>
      </Show>
      <Doubts of={props.of} />
      <Show when={props.of.findings.length === 0}>
        <p class="findings-none">{nothingFound(props.of)}</p>
      </Show>
      <Show when={props.of.tried_together}>
        {(together) => (
          <p class="findings-together">
            <strong>Tried together</strong> <Words of={together().words} />
            <For each={together().notes}>
              {(note) => (
                <span class="dim">
                  {' '}
                  <Words of={note} />.
                </span>
              )}
            </For>
          </p>
        )}
      </Show>
      <ol class="findings-list">
        <For each={props.of.findings}>
          {(finding) => (
            <li>
              <FindingCard of={finding} parts={parts()} />
            </li>
          )}
        </For>
      </ol>
      <Rest of={props.of} />
      <GuidePanel of={props.of} />
    </>
  );
}

function Doubts(props: { of: FindingsView }): JSX.Element {
  return (
    <Show when={props.of.quality.length > 0}>
      <ul class="findings-doubts" aria-label="Warnings about the data">
        <For each={props.of.quality}>
          {(doubt) => (
            <li classList={{ serious: doubt.severity === 'serious' }}>
              <strong>{doubt.severity === 'serious' ? 'Serious' : 'Note'}</strong> <Words of={doubt.text} />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

export function FindingCard(props: { of: Finding; parts: readonly string[] }): JSX.Element {
  const app = useApp();
  const id = createUniqueId();
  const metrics = () => app.experiment()?.metrics.map(({ name }) => name) ?? [];
  // A report file does not contain who ended waits.
  const hasLocks = () => app.engine.kind === 'server' && !app.experiment()?.no_wakers;
  return (
    <article class="finding card" aria-labelledby={id}>
      <div class="finding-head">
        <h3 id={id}>
          {props.of.rank}. {props.of.title}
        </h3>
        <span class={`finding-confidence ${props.of.confidence}`} title={MEANINGS[props.of.confidence]}>
          {props.of.confidence}
        </span>
      </div>
      <Figures of={props.of} />
      <Places of={props.of} />
      <p class="finding-fix">
        <strong>Fix</strong> <Words of={props.of.fix} />
      </p>
      <div class="finding-links">
        <For each={viewsOf(props.of, hasLocks())}>
          {([view, title], index) => (
            <a
              class="button"
              classList={{ main: index() === 0 }}
              href={app.href(showIn(view, props.of, { parts: props.parts, metrics: metrics() }))}
              aria-label={`${title}: ${props.of.title}`}
            >
              {title}
            </a>
          )}
        </For>
        <GuideLink of={props.of} />
      </div>
      <Details of={props.of} />
    </article>
  );
}

const MEANINGS = {
  certain: 'Frames and counters agree',
  likely: 'Supported by frames only',
  possible: 'Supported by one weak indicator only',
} as const;

/** The values of a finding, and who holds its lock. */
function Figures(props: { of: Finding }): JSX.Element {
  const spent = () => props.of.spent;
  return (
    <dl class="finding-figures">
      <div>
        <dt>Spent here</dt>
        <dd>
          <span class="finding-bar" aria-hidden="true">
            <i style={{ width: `${spent().ratio * 100}%` }} />
            <b
              style={{
                left: `${spent().low_ratio * 100}%`,
                width: `${Math.max(0, spent().high_ratio - spent().low_ratio) * 100}%`,
              }}
            />
          </span>
          <strong>{share(spent().ratio)}</strong>{' '}
          <span class="dim">
            of the {spent().of}: {spentValue(props.of)} from samples
            {ofProgram(spent())}; 95 % interval {interval(spent().low_ratio, spent().high_ratio)}, in this experiment
          </span>
        </dd>
      </div>
      <For each={holderWords(props.of)}>
        {(words) => (
          <div>
            <dt>Lock holder</dt>
            <dd>
              <Words of={words} />
            </dd>
          </div>
        )}
      </For>
      <div>
        <dt>Expected saving</dt>
        <dd>{expectedWords(props.of)}</dd>
      </div>
      <div>
        <dt>Measured saving</dt>
        <dd>
          <MeasuredSaving of={props.of} />
        </dd>
      </div>
      <div>
        <dt>{props.of.tried ? 'Tried' : 'Trial'}</dt>
        <dd>
          {trialWords(props.of)}
          <For each={trialNotes(props.of)}>
            {(note) => (
              <p class="dim finding-note">
                <Words of={note} />
              </p>
            )}
          </For>
        </dd>
      </div>
      <Show when={props.of.unit_cost}>
        {(cost) => (
          <div>
            <dt>Cost per unit</dt>
            <dd>{unitCostWords(cost())}</dd>
          </div>
        )}
      </Show>
    </dl>
  );
}

function Places(props: { of: Finding }): JSX.Element {
  const calling = () => props.of.calling;
  const site = () => (props.of.site.state === 'found' ? props.of.site : null);
  return (
    <dl class="finding-places">
      <Show when={calling().library}>
        {(library) => (
          <Place title="In the library" at={library()}>
            <Show when={library().jar}>{(jar) => <span class="dim">{jar()}</span>}</Show>
          </Place>
        )}
      </Show>
      <Place title={calling().library ? 'From your line' : 'Called from'} at={calling()} text={calling().text} />
      <Show when={site()} fallback={<NoSite of={props.of} />}>
        {(found) => (
          <Place title="Edit" at={{ ...found(), function: siteFunction(found()) }} text={found().text}>
            <span class="dim">{found().what}</span>
          </Place>
        )}
      </Show>
    </dl>
  );
}

function NoSite(props: { of: Finding }): JSX.Element {
  return (
    <Show when={props.of.site.state === 'not_found' ? props.of.site : null}>
      {(site) => (
        <div>
          <dt>Edit</dt>
          <dd>line not found: {site().reason}</dd>
        </div>
      )}
    </Show>
  );
}

function Place(props: {
  title: string;
  at: { function: string; file: string | null; line: number | null };
  text?: string | null;
  children?: JSX.Element;
}): JSX.Element {
  return (
    <div>
      <dt>{props.title}</dt>
      <dd>
        <Show when={placeOf(props.at)}>{(place) => <strong class="finding-place">{place()}</strong>}</Show>{' '}
        <FunctionName name={props.at.function} packageLength={16} /> {props.children}
        <Show when={props.text}>{(text) => <code class="finding-code">{text().trim()}</code>}</Show>
      </dd>
    </div>
  );
}

function Details(props: { of: Finding }): JSX.Element {
  const site = () => (props.of.site.state === 'found' ? props.of.site : null);
  const others = () => props.of.calling.lines.slice(1).map(({ line, ratio }) => `line ${line ?? 'unknown'} (${share(ratio)})`);
  return (
    <details class="finding-details">
      <summary>Evidence, checks and how the line was found</summary>
      <List title="Evidence" texts={props.of.evidence.map(({ text }) => text)} />
      <List title="Check first" texts={props.of.check_first} />
      <List title="Criteria" texts={props.of.criteria.map(({ text, holds }) => `${HOLDS[String(holds)]}: ${text}`)} />
      <List title="Prediction" texts={[predictionWords(props.of)]} />
      <List title="Also called from" texts={others()} />
      <Show when={site()}>{(found) => <SiteDetails of={found()} />}</Show>
      <p class="dim">Heaviest function: {props.of.anchor}</p>
    </details>
  );
}

const HOLDS: Record<string, string> = { true: 'met', false: 'not met', null: 'unknown' };

function SiteDetails(props: { of: EditSite }): JSX.Element {
  const words = (each: OtherSite) => [placeOf(each), `${each.function}: ${each.what}`].filter(Boolean).join(', ');
  return (
    <>
      <List title="How the line was found" texts={props.of.steps} />
      <List title="Alternative lines" texts={props.of.others.map(words)} />
      <Show when={props.of.field}>
        {(field) => (
          <List
            title={`Field ${field().field}: ${field().declaration}`}
            texts={field().uses.map((each) => `also used by ${words(each)}`)}
          />
        )}
      </Show>
    </>
  );
}

function List(props: { title: string; texts: readonly string[] }): JSX.Element {
  return (
    <Show when={props.texts.length > 0}>
      <h4>{props.title}</h4>
      <ul>
        <For each={props.texts}>
          {(text) => (
            <li>
              <Words of={text} />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** The part of the cost without a finding, and the patterns that were not checked. */
function Rest(props: { of: FindingsView }): JSX.Element {
  const known = () => props.of.checked_count + props.of.not_checked.length;
  const unexplained = () => props.of.largest_unexplained;
  return (
    <details class="finding-details findings-rest">
      <summary>
        {props.of.checked_count} of {known()} patterns checked
      </summary>
      <Show when={props.of.findings.length > 0 && unexplained()}>
        {(rest) => (
          <p>
            All findings together cover {share(props.of.union_ratio)} of the CPU time of all work threads. Do not add up their
            savings{props.of.left_out.findings > 0 && `; ${props.of.left_out.findings} more are not listed`}. Largest unexplained
            function: {rest().function}, {share(rest().ratio)}.
          </p>
        )}
      </Show>
      <List
        title="Scattered cost"
        texts={props.of.scattered.map(
          ({ function: name, ratio, paths_count, largest_path_ratio }) =>
            `${name}: ${share(ratio)} in total over ${counted(paths_count, 'path')}; the largest path has ${share(largest_path_ratio)}`,
        )}
      />
      <List title="Too small to be findings" texts={withRest((props.of.minor ?? []).map(minorWords), props.of.left_out.minor)} />
      <List title="Denied" texts={withRest(props.of.denied.map(deniedWords), props.of.left_out.denied)} />
      <List
        title="Not checked"
        texts={missingData(props.of).map(({ needs, titles }) => `${titles.join(', ')}: needs ${needs}`)}
      />
      <List title="Kinds of problems without a pattern" texts={props.of.unknown_classes} />
      <p class="dim">
        <Words of={props.of.work.warm_up} />
      </p>
    </details>
  );
}
