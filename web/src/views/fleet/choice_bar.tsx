// The row of query settings: services, versions, hosts, time range; and the selected names as chips.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import type { ServiceRow } from '../../engine/fleet';
import { Segments } from '../../parts/parts';
import { byName, type Choice, NAMED, type Named } from './choice';
import type { Fleet } from './fleet';
import { PickList } from './pick_list';
import { LATEST, momentOf, momentWords, type Span, spanOf } from './times';

const TITLES: Record<Named, string> = {
  service: 'Services',
  version: 'Versions',
  host: 'Hosts',
  region: 'Regions',
  label: 'Labels',
};
const FIELDS = { version: 'versions', host: 'hosts', region: 'regions', label: 'labels' } as const satisfies Record<
  Exclude<Named, 'service'>,
  keyof ServiceRow
>;

export function ChoiceBar(props: { fleet: Fleet }): JSX.Element {
  const choice = () => props.fleet.choice();
  const rows = () => props.fleet.everything.answer()?.rows ?? [];
  const chips = () => NAMED.flatMap((name) => choice()[name].map((value) => ({ name, value })));
  /** The names that can be selected: those of the selected services, or of all services. */
  const names = createMemo((): Record<Named, string[]> => {
    const { service } = choice();
    const own = service.length === 0 ? rows() : rows().filter((row) => service.includes(row.service));
    const all = (name: keyof typeof FIELDS) => [...new Set(own.flatMap((row) => row[FIELDS[name]]))].sort(byName);
    // Users select the newest version most often, so it comes first.
    return {
      service: rows()
        .map((row) => row.service)
        .sort(byName),
      version: all('version').reverse(),
      host: all('host'),
      region: all('region'),
      label: all('label'),
    };
  });
  const remove = (name: Named, value: string) => props.fleet.choose({ [name]: choice()[name].filter((each) => each !== value) });
  return (
    <div class="fleet-choices" role="region" aria-label="Query settings">
      <div class="fleet-picks">
        <For each={NAMED}>
          {(name) => (
            <PickList
              title={TITLES[name]}
              names={names()[name]}
              chosen={choice()[name]}
              all={`All ${TITLES[name].toLowerCase()}`}
              onChange={(chosen) => props.fleet.choose({ [name]: chosen })}
            />
          )}
        </For>
        <span class="fleet-when">{hasMoments(choice()) ? '' : whenWords(props.fleet.services.answer()?.time)}</span>
        <TimeChoice fleet={props.fleet} />
      </div>
      <Show when={chips().length > 0}>
        <div class="fleet-chips">
          <For each={chips()}>
            {({ name, value }) => (
              <span class="chip">
                <span class="chip-words fleet-chip" title={`${name} ${value}`}>
                  {name === 'label' ? value : `${name} ${value}`}
                </span>
                <button
                  type="button"
                  class="chip-remove"
                  aria-label={`Remove: ${name} ${value}`}
                  onClick={() => remove(name, value)}
                >
                  ×
                </button>
              </span>
            )}
          </For>
          <Show when={chips().length > 1}>
            <button
              type="button"
              class="button quiet small"
              onClick={() => props.fleet.choose({ service: [], version: [], host: [], region: [], label: [] })}
            >
              Remove all
            </button>
          </Show>
        </div>
      </Show>
    </div>
  );
}

/** `2026-11-21 06:48 to 2026-11-22 06:48 UTC`: the time range of the answer for `the last 24 h`. */
function whenWords(time: string | undefined): string {
  return time === undefined ? '' : `${time.replace(/(\d\d:\d\d):\d\d/g, '$1')} UTC`;
}

/** Whether the time range differs from those of the buttons. */
function hasMoments({ since, until }: Choice): boolean {
  return until !== 'now' || !LATEST.some(([each]) => each === since);
}

const MOMENTS = 'moments';

function TimeChoice(props: { fleet: Fleet }): JSX.Element {
  const choice = () => props.fleet.choice();
  const choices = [...LATEST, [MOMENTS, 'From … to', 'Between two times in UTC']] as const;
  const change = (value: string) => {
    if (value !== MOMENTS) {
      props.fleet.choose({ since: value, until: 'now' });
      return;
    }
    const now_s = Math.floor(Date.now() / 60_000) * 60;
    const { from_s, to_s } = spanOf(choice().since, choice().until, now_s) ?? { from_s: now_s - 3600, to_s: now_s };
    props.fleet.choose({ since: momentOf(from_s), until: momentOf(to_s) });
  };
  return (
    <div class="fleet-time">
      <Segments label="Time" value={hasMoments(choice()) ? MOMENTS : choice().since} choices={choices} onChange={change} />
      <Show when={hasMoments(choice())}>
        <Moments
          since={choice().since}
          until={choice().until}
          onChange={(since, until) => props.fleet.choose({ since, until })}
        />
      </Show>
    </div>
  );
}

function Moments(props: { since: string; until: string; onChange(since: string, until: string): void }): JSX.Element {
  const [problem, setProblem] = createSignal<string | null>(null);
  const shown = (text: string) => text.replace('T', ' ').replace(/Z$/, '');
  let from!: HTMLInputElement;
  let to!: HTMLInputElement;
  const apply = () => {
    const [since, until] = [from.value.trim(), to.value.trim()];
    const now_s = Date.now() / 1000;
    const span: Span | undefined = spanOf(since, until, now_s);
    setProblem(
      span
        ? null
        : `Enter two times in UTC, the earlier one first. Examples: ${momentWords(Math.floor(now_s / 3600) * 3600)}, or 90m for 90 minutes ago.`,
    );
    if (span && (since !== shown(props.since) || until !== shown(props.until)))
      props.onChange(since.replace(' ', 'T'), until.replace(' ', 'T'));
  };
  const field = (title: string, text: () => string, put: (input: HTMLInputElement) => void) => (
    <label>
      <span class="off-screen">{`${title}, UTC`}</span>
      <input
        type="text"
        ref={put}
        spellcheck={false}
        autocomplete="off"
        value={shown(text())}
        aria-invalid={problem() !== null}
        aria-describedby={problem() === null ? undefined : 'fleet-moments'}
        onChange={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
    </label>
  );
  return (
    <span class="fleet-moments">
      {field(
        'From',
        () => props.since,
        (input) => (from = input),
      )}
      <span aria-hidden="true">to</span>
      {field(
        'To',
        () => props.until,
        (input) => (to = input),
      )}
      <span class="dim">UTC</span>
      <Show when={problem()}>
        <span class="popover filter-error" id="fleet-moments" role="alert">
          <p>{problem()}</p>
        </span>
      </Show>
    </span>
  );
}
