// The fleet: its cost, its most expensive functions, and its changes. A selection can be opened as an experiment, with all views
// of the analyzer.
import { createSignal, type JSX, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app';
import type { Services } from '../../engine/fleet';
import { cores, money } from '../../format/cost';
import { Failure, Loading, Segments, Toolbar } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import type { ViewDefinition } from '../../view';
import { Changes } from './changes';
import { ChoiceBar } from './choice_bar';
import { createFleet, type Fleet } from './fleet';
import { ServicesTable } from './services';
import { FunctionShare } from './share';
import { momentOf, momentWords } from './times';
import { TopFunctions } from './top';
import './fleet.css';

const PAGES = [
  ['cost', 'Cost', 'Services and functions, in cores and money'],
  ['changes', 'Changes', 'What changed between two versions of a service, or at an unknown date'],
] as const;
type Page = (typeof PAGES)[number][0];

function FleetView(): JSX.Element {
  const app = useApp();
  return (
    <Show
      when={app.hasFleet()}
      fallback={
        <>
          <Toolbar title="Fleet" />
          <p class="missing-view">
            This server has no fleet. To open a fleet, run <code>whittle-fleet serve --store STORE</code>.
          </p>
        </>
      }
    >
      <FleetPage />
    </Show>
  );
}

function FleetPage(): JSX.Element {
  const app = useApp();
  const fleet = createFleet(app);
  const [page, setPage] = useOption<Page>('fleet.page', 'cost');
  return (
    <div class="fleet">
      <Toolbar title="Fleet" subtitle={<Summary fleet={fleet} />}>
        <Segments label="Page" value={page()} choices={PAGES} onChange={setPage} />
        <button
          type="button"
          class="button icon"
          aria-label="Refresh"
          title="Load all data again"
          onClick={() => fleet.refresh()}
        >
          <svg
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="1.5"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
          >
            <path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.75M13.4 2v2.6h-2.6" />
          </svg>
        </button>
        <OpenMenu fleet={fleet} />
      </Toolbar>
      <ChoiceBar fleet={fleet} />
      <Show when={fleet.openError()}>{(error) => <Failure error={error()} />}</Show>
      <Switch>
        <Match when={fleet.services.error()}>{(error) => <Failure error={error()} />}</Match>
        <Match when={fleet.services.answer() === undefined}>
          <Loading />
        </Match>
        <Match when={fleet.services.answer()?.rows.length === 0}>
          <NothingObserved fleet={fleet} of={fleet.services.answer()!} />
        </Match>
        <Match when={page() === 'changes'}>
          <Changes fleet={fleet} />
        </Match>
        <Match when={page() === 'cost'}>
          <div class="fleet-panes">
            <section class="fleet-pane" aria-label="Services">
              <ServicesTable fleet={fleet} of={fleet.services.answer()!} isStale={fleet.services.isLoading()} />
            </section>
            <TopFunctions fleet={fleet} />
            <Show when={fleet.picked()}>{(name) => <FunctionShare fleet={fleet} name={name()} />}</Show>
          </div>
        </Match>
      </Switch>
    </div>
  );
}

/** The cost of the selection, and the price that it is computed with. */
function Summary(props: { fleet: Fleet }): JSX.Element {
  const sum = (of: 'cores' | 'cost_per_year') =>
    (props.fleet.services.answer()?.rows ?? []).reduce((all, row) => all + row.cost[of], 0);
  const price = () => props.fleet.choice().price ?? String(props.fleet.services.answer()?.per_core_hour ?? '');
  const change = (text: string) => {
    const isNumber = text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) >= 0;
    props.fleet.choose({ price: isNumber ? text.trim() : null });
  };
  return (
    <Show when={props.fleet.services.answer()}>
      <b class="fleet-total">{cores(sum('cores'))} cores</b>, <b class="fleet-total">{money(sum('cost_per_year'))}</b> per year at{' '}
      <input
        type="number"
        class="fleet-price"
        aria-label="Price of a core for an hour"
        title="In your currency"
        min="0"
        step="any"
        value={price()}
        onChange={(event) => change(event.currentTarget.value)}
      />{' '}
      a core-hour
    </Show>
  );
}

const VIEWS_TO_OPEN = [
  ['home', 'Overview'],
  ['functions', 'Functions'],
  ['callers-callees', 'Callers and callees'],
  ['flame-graph', 'Flame graph'],
  ['threads', 'Hosts as threads'],
] as const;

/** Opens the selection as an experiment, in one of the analyzer's views. */
function OpenMenu(props: { fleet: Fleet }): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = createSignal(false);
  let box!: HTMLDivElement;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen()) {
      setOpen(false);
      box.querySelector('button')?.focus();
      event.preventDefault();
      event.stopPropagation();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const all = [...box.querySelectorAll<HTMLElement>('button')];
    const at = all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    all[(at + all.length) % all.length]?.focus();
  };
  const open = (view: string) => {
    setOpen(false);
    const name = props.fleet.picked();
    const centre = view === 'callers-callees' && name !== null ? { fragment: [name] } : {};
    void props.fleet.open({ by: ['host'] }, { view, selected: view === 'home' ? null : name, mode: app.state.mode, ...centre });
  };
  return (
    <div
      class="drop"
      ref={box}
      onKeyDown={onKeyDown}
      onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOpen(false)}
    >
      <button
        type="button"
        class="button main"
        aria-expanded={isOpen()}
        disabled={props.fleet.isOpening() || props.fleet.services.answer()?.rows.length === 0}
        onClick={() => setOpen(!isOpen())}
      >
        {props.fleet.isOpening() ? 'Opening …' : 'Open in the analyzer'}
      </button>
      <Show when={isOpen()}>
        <div class="popover drop-list">
          {VIEWS_TO_OPEN.map(([view, title]) => (
            <button type="button" onClick={() => open(view)}>
              {title}
            </button>
          ))}
        </div>
      </Show>
    </div>
  );
}

function NothingObserved(props: { fleet: Fleet; of: Services }): JSX.Element {
  const last_s = () => props.of.observed_to_s;
  const isNarrowed = () => (props.fleet.everything.answer()?.rows.length ?? 0) > 0;
  const showLast = () => {
    const to_s = (Math.floor((last_s() ?? 0) / 60) + 1) * 60;
    props.fleet.choose({ since: momentOf(to_s - 3600), until: momentOf(to_s) });
  };
  return (
    <div class="none-selected">
      <p>
        No data of {props.of.whose} from {props.of.time} UTC.
      </p>
      <Show when={isNarrowed()}>
        <p>
          Other services, versions or hosts have data in this time range.{' '}
          <button
            type="button"
            class="button"
            onClick={() => props.fleet.choose({ service: [], version: [], host: [], region: [], label: [] })}
          >
            Show all
          </button>
        </p>
      </Show>
      <Show when={last_s() !== null && !isNarrowed()}>
        <p>
          The newest data is from {momentWords(last_s() ?? 0)} UTC.{' '}
          <button type="button" class="button main" onClick={showLast}>
            Show the last hour with data
          </button>
        </p>
      </Show>
    </div>
  );
}

export const view: ViewDefinition = {
  name: 'fleet',
  title: 'Fleet',
  question: 'What do the services cost, which functions cost most, and what changed?',
  key: 'm',
  order: 0,
  group: 'start',
  component: FleetView,
  worksWithout: true,
  needsFleet: true,
  keys: [
    ['← →', 'In the chart: previous or next period'],
    ['Enter', 'In the table of services: show only this service, or all services'],
  ],
};
