// Changes of one service by function, with intervals: between two versions or at an unknown date. Also the saving, and both
// versions side by side in the analyzer.
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app';
import type { ChangedHost, ChangeRow, ChangeWord, Regressions, Saving } from '../../engine/fleet';
import { ratioWords, wholePercent } from '../../format/compared';
import { cores, gained, money } from '../../format/cost';
import { counted, grouped } from '../../format/numbers';
import { Answered, FunctionName, Notes, Picker, Segments } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { IntervalPicture, intervalWords } from '../verification/drawn';
import { axisFor, type RatioAxis } from '../verification/pictures';
import { ALL_WORDS, amountWords, CHANGE_WORDS, countWords, coverageWords, pairOf, withWord } from './change_words';
import { byName } from './choice';
import type { Fleet } from './fleet';
import { FunctionShare } from './share';
import { momentOf, momentWords } from './times';

const DATES = [
  ['known', 'Between versions', 'Compares hosts that changed version with hosts that did not'],
  ['unknown', 'At an unknown date', 'Finds changes at any time, independent of versions'],
] as const;
type When = (typeof DATES)[number][0];
type Flavour = 'exclusive' | 'inclusive';

/** The limit of the detectable growth. If only larger growth can be detected, the data is not useful. */
const LARGEST_GROWTH = 10;
/** A smaller saving is within the normal difference between two days. */
const NOTABLE_SAVING = 0.01;
/** With less window height, the table of functions needs the space. */
const LOW_PX = 820;
/** Changes with a result come first, so more rows are seldom needed. */
const MOST_ROWS = 500;

export function Changes(props: { fleet: Fleet }): JSX.Element {
  const services = () => props.fleet.choice().service;
  return (
    <Show when={services().length === 1} fallback={<ChooseService fleet={props.fleet} />}>
      <ServiceChanges fleet={props.fleet} service={services()[0] ?? ''} />
    </Show>
  );
}

/** Asks the user to select one service, because each service has its own versions. */
function ChooseService(props: { fleet: Fleet }): JSX.Element {
  const names = () => (props.fleet.everything.answer()?.rows ?? []).map(({ service }) => service).sort(byName);
  return (
    <div class="none-selected">
      <p>Select a service to see its changes.</p>
      <p class="fleet-which">
        <For each={names().slice(0, 40)}>
          {(name) => (
            <button type="button" class="button" onClick={() => props.fleet.choose({ service: [name], version: [] })}>
              {name}
            </button>
          )}
        </For>
      </p>
      <Show when={names().length > 40}>
        <p class="dim">The list of services above has {names().length - 40} more.</p>
      </Show>
    </div>
  );
}

function ServiceChanges(props: { fleet: Fleet; service: string }): JSX.Element {
  const app = useApp();
  const [date, setDate] = useOption<When>('fleet.date', 'known');
  const [from, setFrom] = useOption<string>('fleet.from', '');
  const [to, setTo] = useOption<string>('fleet.to', '');
  const [flavour, setFlavour] = useOption<Flavour>('fleet.changed', 'exclusive');
  const isKnown = () => date() === 'known';
  const seen = () => props.fleet.everything.answer()?.rows.find((row) => row.service === props.service)?.versions;
  const isOnlyOne = () => isKnown() && (seen()?.length ?? 2) < 2;
  const asked = props.fleet.ask(() => {
    if (isOnlyOne()) return null;
    const { version: _, ...words } = props.fleet.words('regressions');
    const versions = isKnown() ? { from_version: from() || null, to_version: to() || null } : { unknown_date: true };
    return { ...words, view: 'regressions', ...versions, flavour: flavour(), mode: app.state.mode, limit: MOST_ROWS };
  });
  /** Sorted by first appearance after the answer is known. */
  const versions = () => {
    const answered = asked.answer()?.versions ?? [];
    return answered.length > 0 ? answered : [...(seen() ?? [])].sort(byName);
  };
  const pair = () => pairOf(versions(), asked.answer(), { from: from(), to: to() });
  const choices = () => versions().map((version) => [version, version] as const);
  const compare = () => {
    const [baseline, candidate] = pair();
    void props.fleet.open(
      { service: [props.service], version: [candidate], by: ['host'], baseline: { version: [baseline] } },
      { view: 'home', mode: app.state.mode },
    );
  };
  return (
    <div class="fleet-panes">
      <div class="fleet-pane-head fleet-changes-head">
        <Segments label="Time of the change" value={date()} choices={DATES} onChange={setDate} />
        <Show when={isKnown() && versions().length > 1}>
          <Picker label="From" value={pair()[0] ?? ''} choices={choices()} onChange={setFrom} />
          <Picker label="to" value={pair()[1] ?? ''} choices={choices()} onChange={setTo} />
        </Show>
        <Segments
          label="Cost"
          value={flavour()}
          choices={[
            ['exclusive', 'Exclusive'],
            ['inclusive', 'Inclusive'],
          ]}
          onChange={setFlavour}
        />
        <span class="spring" />
        <Show when={isKnown() && versions().length > 1}>
          <button
            type="button"
            class="button"
            disabled={props.fleet.isOpening() || pair()[0] === pair()[1]}
            title={`${pair()[0]} and ${pair()[1]} side by side, in every view of the analyzer`}
            onClick={compare}
          >
            Compare both
          </button>
        </Show>
      </div>
      <Switch fallback={<Answered asked={asked}>{null}</Answered>}>
        <Match when={isOnlyOne()}>
          <div class="none-selected">
            <p>
              Only {versions().length === 1 ? `version ${versions()[0]}` : 'one version'} of {props.service} has data in this time
              range. Select a longer time range, or search for a change at an unknown date.
            </p>
            <p>
              <button type="button" class="button" onClick={() => setDate('unknown')}>
                At an unknown date
              </button>
            </p>
          </div>
        </Match>
        <Match when={asked.answer()}>{(of) => <Changed fleet={props.fleet} of={of()} isStale={asked.isLoading()} />}</Match>
      </Switch>
    </div>
  );
}

function Changed(props: { fleet: Fleet; of: Regressions; isStale: boolean }): JSX.Element {
  const app = useApp();
  const [word, setWord] = useOption<ChangeWord | ''>('fleet.word', '');
  const rows = createMemo(() => withWord(props.of.rows, word()));
  const counts = () => ALL_WORDS.flatMap((each) => props.of.counts.filter((count) => count.word === each && count.functions > 0));
  const words = () => [
    ['', `All ${grouped(props.of.row_count)}`] as const,
    ...counts().map(({ word: each, functions }) => [each, countWords(each, functions)] as const),
  ];
  const axis = createMemo(() =>
    axisFor(
      props.of.rows.filter(({ word: each }) => each !== 'not_enough_power' && each !== 'unchanged'),
      props.of.question.margin_ratio,
    ),
  );
  const picked = () => props.of.rows.find((row) => row.name === props.fleet.picked());
  return (
    <>
      <section class="fleet-said" aria-label="What changed">
        <div>
          <For each={props.of.sentences}>{(sentence) => <p>{sentence}</p>}</For>
          <Hosts of={props.of} />
        </div>
        <SavingCard fleet={props.fleet} of={props.of} />
      </section>
      <section class="fleet-pane fleet-functions fleet-changed" aria-label="Functions that changed">
        <div class="fleet-pane-head">
          <Segments label="Which functions" value={word()} choices={words()} onChange={setWord} />
        </div>
        <div class="fleet-table">
          <VirtualTable<ChangeRow>
            label="Changes of functions"
            columns={changeColumns(props.of, axis())}
            rowCount={rows().length}
            rowAt={(index) => rows()[index]}
            rowHeight={32}
            isStale={props.isStale}
            selected={rows().findIndex((row) => row.name === props.fleet.picked())}
            onSelect={(row) => props.fleet.pick(row.name)}
            onPoint={(row) => app.showDetails(row && { name: row.name, facts: [row.sentence] })}
            empty={noneWith(word())}
          />
        </div>
        <Notes notes={props.of.notes} />
      </section>
      <Show when={picked()}>{(row) => <Explained of={row()} all={props.of} />}</Show>
      <Show when={props.fleet.picked()}>{(name) => <FunctionShare fleet={props.fleet} name={name()} />}</Show>
    </>
  );
}

function noneWith(word: ChangeWord | ''): string {
  return `No function has the result “${word === '' ? '' : CHANGE_WORDS[word].one}”.`;
}

/** Pixels of the mark of a watched function. */
const WATCHED_PX = 72;

function changeColumns(of: Regressions, axis: RatioAxis): TableColumn<ChangeRow>[] {
  const coverage = coverageWords(of);
  const unit = of.measure === 'per_unit' ? `per unit (${of.unit ?? 'of work'})` : 'of CPU time';
  return [
    {
      key: 'word',
      title: 'Result',
      width: '184px',
      importance: 1,
      cell: (row) => (
        <span class={`vf-said ${CHANGE_WORDS[row.word].verdict}`} classList={{ dim: row.word === 'not_enough_power' }}>
          <span aria-hidden="true">{CHANGE_WORDS[row.word].sign}</span> {CHANGE_WORDS[row.word].one}
        </span>
      ),
    },
    {
      key: 'change',
      title: 'Change',
      width: '84px',
      importance: 2,
      isNumber: true,
      cell: (row) => (row.ratio === null ? <span class="dim">–</span> : ratioWords(row.ratio)),
    },
    {
      key: 'interval',
      group: `${coverage} interval`,
      title: `grey: within ±${wholePercent(of.question.margin_ratio)}`,
      width: 'minmax(160px, 240px)',
      cell: (row) => (
        <Show when={row.ratio !== null} fallback={<span class="dim">{withoutInterval(row, of)}</span>}>
          <IntervalPicture
            of={row}
            axis={axis}
            marginRatio={of.question.margin_ratio}
            verdict={{ word: CHANGE_WORDS[row.word].verdict }}
            coverage={coverage}
          />
        </Show>
      ),
    },
    {
      key: 'before',
      group: unit.length > 12 ? 'per unit' : unit,
      title: 'before',
      width: '76px',
      isNumber: true,
      cell: (row) => amountWords(row.before, of),
    },
    { key: 'after', title: 'after', width: '72px', isNumber: true, cell: (row) => amountWords(row.after, of) },
    {
      key: 'cost',
      group: 'On all hosts',
      title: 'per year',
      width: '100px',
      isNumber: true,
      description: 'Cost per year if all hosts had the new version',
      cell: (row) => (row.cost_on_all ? gained(money(row.cost_on_all.cost_per_year)) : <span class="dim">–</span>),
    },
    {
      key: 'function',
      title: 'Function',
      width: 'minmax(180px, 1fr)',
      isName: true,
      cell: (row, _, room) => (
        <span class="fleet-service">
          <Show when={row.is_watched}>
            <span class="vf-primary">watched</span>
          </Show>
          <FunctionName name={row.name} room={room() - (row.is_watched ? WATCHED_PX : 0)} />
        </span>
      ),
    },
  ];
}

/** The text for a change without an interval. */
function withoutInterval({ word, detectable_ratio }: ChangeRow, { question }: Regressions): string {
  if (word === 'unchanged') return `within ±${wholePercent(question.margin_ratio)}`;
  return detectable_ratio === null || detectable_ratio > LARGEST_GROWTH
    ? 'too few samples'
    : `detectable from +${wholePercent(detectable_ratio)}`;
}

/** Explains the selected change in full sentences. */
function Explained(props: { of: ChangeRow; all: Regressions }): JSX.Element {
  const cost = () => {
    const { cost_of_change: change, cost_of_change_low: low, cost_of_change_high: high, cost_on_all: all } = props.of;
    if (!change || !all) return undefined;
    const range =
      low && high
        ? ` (${coverageWords(props.all)} interval ${gained(money(low.cost_per_year))} to ${gained(money(high.cost_per_year))})`
        : '';
    return `The change costs ${gained(cores(change.cores))} cores, ${gained(money(change.cost_per_year))} per year${range} on the hosts with the new version. On all hosts the change would cost ${gained(money(all.cost_per_year))} per year.`;
  };
  return (
    <div class="fleet-explained" role="status">
      <p>{props.of.sentence}</p>
      <Show when={cost()}>{(words) => <p>{words()}</p>}</Show>
      <Show when={props.of.moved}>
        {(moved) => (
          <p>
            Package {moved().domain} in total: {intervalWords(moved(), coverageWords(props.all))}. Cost moved between this package
            and {moved().with.join(', ')}.
          </p>
        )}
      </Show>
      <For each={props.of.steps}>
        {(step) => (
          <p>
            Since {momentWords(step.from_s)} UTC: {intervalWords(step, coverageWords(props.all))}.
          </p>
        )}
      </For>
    </div>
  );
}

const ROLES = ['upgraded', 'other', 'left_out'] as const satisfies readonly ChangedHost['role'][];

function Hosts(props: { of: Regressions }): JSX.Element {
  const of = (role: ChangedHost['role']) => props.of.hosts.filter((host) => host.role === role);
  /** Without versions, all included hosts are one group. */
  const words = () => ({
    upgraded: props.of.method === 'change_points' ? 'included' : 'upgraded',
    other: 'others',
    left_out: 'excluded',
  });
  const roles = () => ROLES.filter((role) => of(role).length > 0);
  const summary = () =>
    roles()
      .map((role) => `${of(role).length} ${words()[role]}`)
      .join(', ');
  return (
    <details class="fleet-hosts">
      <summary>
        {counted(props.of.hosts.length, 'host')}: {summary()}
      </summary>
      <dl>
        <For each={roles()}>
          {(role) => (
            <>
              <dt>{words()[role]}</dt>
              <dd>
                {of(role)
                  .map(({ host, why }) => (why === null ? host : `${host} (${why})`))
                  .join(', ')}
              </dd>
            </>
          )}
        </For>
      </dl>
    </details>
  );
}

/**
 * The saving of a change of version. It compares the time after the last host changed with the time before the first
 * host changed.
 */
function SavingCard(props: { fleet: Fleet; of: Regressions }): JSX.Element {
  const asked = props.fleet.ask(() => {
    const { before, after } = props.of;
    if (!before || !after) return null;
    const { version: _, ...words } = props.fleet.words('saving');
    const window = {
      since: momentOf(after.from_s),
      until: momentOf(after.to_s),
      baseline_since: momentOf(before.from_s),
      baseline_until: momentOf(before.to_s),
    };
    return { ...words, view: 'saving', ...window };
  });
  const headline = ({ saved, saved_by }: Saving) => {
    if (!saved) return 'Saving unknown';
    const size = `${cores(Math.abs(saved.cores))} cores, ${money(Math.abs(saved.cost_per_year))} per year`;
    return `${saved.cores < 0 ? 'Costs' : 'Saves'} ${size}${saved_by === 'per_unit' ? " at today's traffic" : ', if the traffic was the same'}`;
  };
  const isGood = ({ saved, savings }: Saving) => (saved?.cores ?? 0) > 0 && (savings[0]?.ratio ?? 0) >= NOTABLE_SAVING;
  return (
    <Show when={props.of.before && props.of.after}>
      <section class="fleet-saving" aria-label="Saving">
        <Show when={!asked.error()} fallback={<p class="dim">No saving: {asked.error()?.message}</p>}>
          <Show when={asked.answer()} fallback={<p class="dim">Computing the saving …</p>}>
            {(saving) => (
              <details open={window.innerHeight > LOW_PX}>
                <summary title="Compares the time after the last host changed version with the time before the first host changed">
                  <h2 classList={{ 'fleet-good': isGood(saving()) }}>{headline(saving())}</h2>
                </summary>
                <ul>
                  <For each={saving().sentences}>{(sentence) => <li>{sentence}</li>}</For>
                </ul>
                <Notes notes={saving().notes} />
              </details>
            )}
          </Show>
        </Show>
      </section>
    </Show>
  );
}
