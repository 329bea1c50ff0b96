// The flame graph: cost as widths, from the root down or from the leaves up.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { Totals } from '../../compare/change';
import { ChangeLegend } from '../../compare/change_legend';
import { ComparedNotes } from '../../compare/moved';
import { changeBy, comparisonOf } from '../../compare/use_comparison';
import { useTotals } from '../../compare/use_totals';
import type { Direction, FlameGraphView, Unit } from '../../engine/answers';
import { quantity } from '../../format/compared';
import { shortName } from '../../format/names';
import { counted, percent, withUnit } from '../../format/numbers';
import { Segments, Toolbar } from '../../parts/parts';
import { createSearch, SearchBox } from '../../parts/search_box';
import { ALL_SHOWN, FRAMEWORKS, withOpened } from '../../state/framework_frames';
import { appearance } from '../../theme/appearance';
import { FRAME_KINDS, MATCH_COLOUR } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { zoomOfStep } from './flame_answer';
import { FlamePanel, type GraphPart } from './flame_panel';
import './flame.css';

const DIRECTION = 'flame-graph.direction';
const ROOT_LOW = 'flame-graph.root';
const ROOT = 'flame-graph.from';
/** The narrower graph has at least this share of the wider side. A narrower graph is not readable. */
const NARROWEST_SIDE = 0.2;
const LAYOUT = 'flame-graph.sides';
const IDLE = 'flame-graph.idle';

/** In comparisons: one graph of both sides, two graphs next to each other, or one side. */
type Layout = GraphPart | 'beside';
const LAYOUTS: readonly (readonly [Layout, string, string])[] = [
  ['both', 'Overlaid', 'One graph of both sides. Widths are the mean, so it shows new and removed frames'],
  ['beside', 'Side by side', 'Baseline on the left, candidate on the right'],
  ['baseline', 'Baseline', 'Widths are the baseline\u2019s cost'],
  ['candidate', 'Candidate', 'Widths are the candidate\u2019s cost'],
];

function FlameGraph(): JSX.Element {
  const app = useApp();
  const [header, setHeader] = createSignal<FlameGraphView>();
  const search = createSearch(
    () => header()?.search,
    () => header()?.has_folded,
  );
  const direction = (): Direction => (app.state.options[DIRECTION] === 'callers' ? 'callers' : 'callees');
  const isRootLow = () => app.state.options[ROOT_LOW] === 'low';
  const isShown = (name: string) => app.state.options[name] === 'shown';
  const show = (name: string, isIt: boolean) => setOption(name, isIt ? 'shown' : '', []);
  const totals = useTotals(app);
  const root = () => app.state.options[ROOT] ?? null;
  const layout = (): Layout => LAYOUTS.find(([name]) => name === app.state.options[LAYOUT])?.[0] ?? 'both';
  const parts = createMemo<readonly GraphPart[]>(() => {
    const shown = comparisonOf(app) ? layout() : 'both';
    return shown === 'beside' ? ['baseline', 'candidate'] : [shown];
  });
  /**
   * Widths of the two graphs. A pixel represents the same cost on both sides, unless proportional changes are shown.
   */
  const columns = () => {
    const { baseline, candidate } = totals() ?? { baseline: 0, candidate: 0 };
    if (parts().length === 1 || changeBy(app) === 'proportional' || baseline <= 0 || candidate <= 0)
      return `repeat(${parts().length}, minmax(0, 1fr))`;
    const most = Math.max(baseline, candidate);
    return [baseline, candidate].map((total) => `minmax(0, ${Math.max(total / most, NARROWEST_SIDE)}fr)`).join(' ');
  };
  const setOption = (name: string, value: string, zoom: number[] | undefined) => {
    const options = { ...app.state.options, [name]: value };
    app.navigate(zoom ? { options, zoom } : { options });
  };
  const zoomOut = () => {
    const steps = header()?.zoom_path ?? [];
    app.navigate({ zoom: zoomOfStep(steps, steps.length - 2, direction()) });
  };
  const key = (event: KeyboardEvent): boolean => {
    if (event.key === 'n') search.step(1);
    else if (event.key === 'N') search.step(-1);
    else return false;
    return true;
  };

  return (
    <section class="flame-view">
      <Toolbar title="Flame graph">
        <div class="segmented" role="group" aria-label="Direction">
          <button type="button" aria-pressed={direction() === 'callees'} onClick={() => setOption(DIRECTION, '', [])}>
            Top-down
          </button>
          <button type="button" aria-pressed={direction() === 'callers'} onClick={() => setOption(DIRECTION, 'callers', [])}>
            Bottom-up
          </button>
        </div>
        <button type="button" aria-pressed={isRootLow()} onClick={() => setOption(ROOT_LOW, isRootLow() ? '' : 'low', undefined)}>
          Root at the bottom
        </button>
        <Show when={header()?.has_folded || app.state.options[FRAMEWORKS]}>
          <button
            type="button"
            aria-pressed={isShown(FRAMEWORKS)}
            title="Show the frames of servers and frameworks between the thread\u2019s start and the program\u2019s own code"
            onClick={() => setOption(FRAMEWORKS, isShown(FRAMEWORKS) ? '' : ALL_SHOWN, undefined)}
          >
            Framework frames
          </button>
        </Show>
        <Show when={header()?.leaves_out_idle || isShown(IDLE)}>
          <button
            type="button"
            aria-pressed={isShown(IDLE)}
            title="Show the waits of threads without work: threads of pools, and event loops"
            onClick={() => show(IDLE, !isShown(IDLE))}
          >
            Idle threads
          </button>
        </Show>
        <Show when={root()}>
          {(name) => (
            <button type="button" title="Show the whole graph" onClick={() => setOption(ROOT, '', [])}>
              From {shortName(name())} ✕
            </button>
          )}
        </Show>
        <Show when={comparisonOf(app)}>
          <Segments
            label="Sides"
            value={layout()}
            choices={LAYOUTS}
            onChange={(next) => setOption(LAYOUT, next === 'both' ? '' : next, undefined)}
          />
        </Show>
        <SearchBox search={search}>
          <Show when={search.found()}>
            {(found) => (
              <>
                Matched: <b>{shareOf(found().matched_ratio)}</b> ·{' '}
                {(comparisonOf(app) ? quantity : withUnit)(found().matched_weight, header()?.unit ?? 'count')} ·{' '}
                {counted(found().function_count, 'function')}
              </>
            )}
          </Show>
        </SearchBox>
      </Toolbar>
      <Breadcrumbs header={header()} direction={direction()} />
      <div class="flame-panels" style={{ 'grid-template-columns': columns() }}>
        <For each={parts()}>
          {(part, index) => (
            <div class="flame-panel">
              <Show when={parts().length > 1}>
                <h2 class="flame-side">{sideTitle(part, totals(), header()?.unit)}</h2>
              </Show>
              <FlamePanel
                label={`${part === 'both' ? '' : `${part}, `}Flame graph of ${app.metric()?.title ?? ''}, ${direction() === 'callees' ? 'top-down' : 'bottom-up'}`}
                direction={direction()}
                root={root()}
                zoom={app.state.zoom}
                search={app.state.search}
                isRootLow={isRootLow()}
                match={search.match()}
                part={part}
                frameworks={app.state.options[FRAMEWORKS]}
                isIdleShown={isShown(IDLE)}
                onFolded={(node) => {
                  // The transform `fold frameworks` folds all frames.
                  if (app.state.transforms.length > 0) return;
                  setOption(FRAMEWORKS, withOpened(app.state.options[FRAMEWORKS], node), undefined);
                }}
                totals={totals()}
                onZoom={(zoom) => app.navigate({ zoom })}
                onZoomOut={zoomOut}
                onHeader={(newest) => index() === 0 && setHeader(newest)}
                onKey={key}
                isExported={index() === 0}
              />
            </div>
          )}
        </For>
      </div>
      <Legend isSearching={app.state.search !== ''} />
      <Show when={comparisonOf(app)}>
        <ComparedNotes notes={header()?.notes} />
      </Show>
    </section>
  );
}

/** `Baseline, 858 ms total` */
function sideTitle(part: GraphPart, totals: Totals | undefined, unit: Unit | undefined): string {
  const side = part === 'baseline' ? 'baseline' : 'candidate';
  const title = side === 'baseline' ? 'Baseline' : 'Candidate';
  return totals && unit ? `${title}, ${quantity(totals[side], unit)} total` : title;
}

/** A share in percent. An empty graph has no shares. */
function shareOf(ratio: number | null): string {
  return ratio === null ? '-' : percent(ratio);
}

function Breadcrumbs(props: { readonly header: FlameGraphView | undefined; readonly direction: Direction }): JSX.Element {
  const app = useApp();
  const steps = () => props.header?.zoom_path ?? [];
  return (
    // The line is always there, so that a zoom does not move the graph away from the pointer.
    <div class="flame-path">
      <Show
        when={app.state.zoom.length > 0 && steps().length > 0}
        fallback={<span>All · double-click or press Enter to zoom in</span>}
      >
        <nav class="flame-crumbs" aria-label="Zoom">
          <For each={steps()}>
            {(step, index) => (
              <>
                <Show when={index() > 0}>
                  <span aria-hidden="true">›</span>
                </Show>
                <button
                  type="button"
                  aria-current={index() === steps().length - 1 ? 'location' : undefined}
                  onClick={() => app.navigate({ zoom: zoomOfStep(steps(), index(), props.direction) })}
                >
                  {index() === 0 ? 'All' : shortName(step.name)}
                </button>
              </>
            )}
          </For>
        </nav>
      </Show>
    </div>
  );
}

/** The meaning of the colours. */
export function Legend(props: { readonly isSearching: boolean }): JSX.Element {
  const app = useApp();
  return (
    <Show when={comparisonOf(app) === undefined} fallback={<ChangeLegend isSearching={props.isSearching} />}>
      <KindLegend isSearching={props.isSearching} />
    </Show>
  );
}

function KindLegend(props: { readonly isSearching: boolean }): JSX.Element {
  return (
    <ul class="legend" aria-label="Colours">
      <For each={FRAME_KINDS}>
        {(kind) => (
          <li>
            <span class="legend-colour" style={{ background: kind[appearance()] }} />
            {kind.title}
          </li>
        )}
      </For>
      <Show when={props.isSearching}>
        <li>
          <span class="legend-colour" style={{ background: MATCH_COLOUR[appearance()] }} />
          match
        </li>
      </Show>
    </ul>
  );
}

export const view: ViewDefinition = {
  name: 'flame-graph',
  title: 'Flame graph',
  question: 'Where is the cost, at a glance?',
  key: 'g',
  order: 50,
  group: 'code',
  component: FlameGraph,
  keys: [
    ['↑ ↓ ← →', 'Go to the caller, a callee or a neighbour'],
    ['Enter', 'Zoom in'],
    ['Backspace', 'Zoom out one step'],
    ['n N', 'Next or previous match'],
    ['m', 'Menu of the function'],
  ],
};
