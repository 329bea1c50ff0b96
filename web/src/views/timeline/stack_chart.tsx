// The stack chart of a thread or of several threads, below the strips: what they executed when. It shows the same time range as the
// strips.
import { createMemo, createSignal, type JSX, onMount, Show } from 'solid-js';
import { useApp } from '../../app';
import { BoxFlag, NO_BOXES } from '../../canvas/flame_boxes';
import { FlameCanvas } from '../../canvas/flame_canvas';
import { isFolded } from '../../format/names';
import { counted, percent, readable } from '../../format/numbers';
import { timeInRun } from '../../format/times';
import { Notes } from '../../parts/parts';
import { Legend } from '../../parts/share_bar';
import { useOption } from '../../parts/use_option';
import { FRAMEWORKS, frameworkKeys, withOpened } from '../../state/framework_frames';
import { appearance } from '../../theme/appearance';
import { FRAME_KINDS, WAIT_COLOUR } from '../../theme/colours';
import { flamePalette } from '../../theme/flame_palette';
import { chartBoxes, timeOfBox } from './chart_boxes';
import { type Charted, chartKeys, chartText } from './chart_group';
import { groupBy } from './group_by';
import './stack_chart.css';

/** The option with the shown threads. Empty: no stack chart is shown. */
const CHART = 'timeline.chart';
const NAMED = 'timeline.named';
const FROM = 'timeline.from';
const TO = 'timeline.to';

/** The key for the help. */
export const CHART_KEYS = [['c', 'Show the stack chart of the thread or the group: what ran when']] as const;

/** A function that shows the stack chart of a thread or of several threads. */
export function useStackChart(): (of: Charted) => void {
  const [, setChart] = useOption<string>(CHART, '');
  return (of) => setChart(chartText(of));
}

/** A button that shows the stack chart of a thread or of several threads. A button that is not in a grid can be reached with Tab. */
export function StackChartButton(props: { readonly of: Charted; readonly isSmall?: boolean }): JSX.Element {
  const show = useStackChart();
  return (
    <button
      type="button"
      class={props.isSmall ? 'timeline-chart' : 'button'}
      tabIndex={props.isSmall && props.of !== 'all' ? -1 : 0}
      aria-label={props.of === 'all' ? 'Stack chart of all threads' : 'Stack chart'}
      title="What ran when"
      onClick={() => show(props.of)}
    >
      {props.isSmall ? '≣' : 'Stack chart'}
    </button>
  );
}

export function StackChart(): JSX.Element {
  const [chart, setChart] = useOption<string>(CHART, '');
  return <Show when={chartKeys(chart())}>{(keys) => <ChartOfThreads keys={keys()} onClose={() => setChart('')} />}</Show>;
}

interface ChartProps {
  readonly keys: NonNullable<ReturnType<typeof chartKeys>>;
  readonly onClose: () => void;
}

function ChartOfThreads(props: ChartProps): JSX.Element {
  const app = useApp();
  let chart!: HTMLElement;
  const [width, setWidth] = createSignal(0);
  // In a small window, the chart is below the end of the screen.
  onMount(() => chart.scrollIntoView({ block: 'nearest' }));
  const shown = () => ({
    fromNs: Number(app.state.options[FROM] || 0),
    toNs: Number(app.state.options[TO] || (app.experiment()?.duration_ns ?? 0)),
  });
  const asked = app.askBinary(() => {
    const { fromNs, toNs } = shown();
    if (width() === 0 || toNs <= fromNs) return null;
    return {
      ...app.query('stack-chart'),
      ...props.keys,
      named: app.state.options[NAMED] ?? '',
      group_by: groupBy(app),
      from_ns: fromNs,
      to_ns: toNs,
      bins: Math.max(Math.floor(width()), 1),
      ...frameworkKeys(app.state.options[FRAMEWORKS]),
    };
  });
  const answer = createMemo(() => asked.answer());
  const header = () => answer()?.header;
  const boxes = createMemo(() => {
    const newest = answer();
    return newest ? chartBoxes(newest) : NO_BOXES;
  });
  const palette = createMemo(flamePalette);
  const waits = (box: number) => boxes().has(box, BoxFlag.waits);
  const fills = createMemo(() => ({
    fill: (box: number) => (waits(box) ? WAIT_COLOUR[appearance()] : palette().fill(boxes().kind(box))),
    mark: () => '',
  }));

  /** The kinds of code in the chart, for the legend. */
  const kinds = createMemo(() => {
    const shown = new Set<number>();
    for (let box = 0; box < boxes().length; box++) if (!waits(box)) shown.add(boxes().kind(box));
    return FRAME_KINDS.filter((_, kind) => shown.has(kind)).map((kind) => ({ title: kind.title, colour: kind[appearance()] }));
  });

  /** The time between two pixels. */
  const pixelNs = () => {
    const { from_ns = 0, to_ns = 0, bins = 1 } = header() ?? {};
    return (to_ns - from_ns) / bins;
  };
  const time = (ns: number) => timeInRun(ns, pixelNs());
  const factsOf = (box: number) => {
    const of = answer()!;
    const { fromNs, toNs } = timeOfBox(of, box);
    return {
      times: `${time(fromNs)} to ${time(toNs)}`,
      length: readable(toNs - fromNs, 'nanoseconds'),
      share: percent((toNs - fromNs) / (of.header.to_ns - of.header.from_ns)),
    };
  };
  const describe = (box: number): string => {
    const { times, length, share } = factsOf(box);
    return `${times}, ${length}, ${share} of the shown time${waits(box) ? ', waits' : ''}`;
  };
  const point = (box: number | undefined): void => {
    if (box === undefined || box >= boxes().length) {
      app.showDetails(null);
      return;
    }
    const { times, length, share } = factsOf(box);
    app.showDetails({
      name: boxes().name(box),
      facts: [waits(box) ? 'waits' : (FRAME_KINDS[boxes().kind(box)]?.title ?? '')],
      values: [
        ['Time', times],
        ['Length', length],
        ['Share of the shown time', share],
      ],
    });
  };

  const setOptions = (change: Record<string, string>) => app.navigate({ options: { ...app.state.options, ...change } });
  const zoom = (box: number): void => {
    const { fromNs, toNs } = timeOfBox(answer()!, box);
    setOptions({ [FROM]: String(fromNs), [TO]: String(toNs) });
  };
  const select = (box: number): void => {
    const isOpenable = isFolded(boxes().name(box)) && app.state.transforms.length === 0;
    const node = boxes().arrays.node[box]!;
    if (isOpenable) setOptions({ [FRAMEWORKS]: withOpened(app.state.options[FRAMEWORKS], node) });
    else app.select(boxes().name(box));
  };

  return (
    <aside ref={chart} class="stack-chart" aria-label="Stack chart">
      <header>
        <b class="stack-chart-title" title={header()?.name}>
          Stack chart{header() ? ` of ${header()!.name}` : ''}
        </b>
        <Show when={header()?.is_group}>
          <span class="stack-chart-rule">
            the stack with the most CPU time of {counted(header()!.threads_count, 'thread')}; waits where no thread ran
          </span>
        </Show>
        <Legend entries={kinds()} />
        <span class="stack-chart-wait">waits</span>
        <button type="button" aria-label="Close the stack chart" onClick={() => props.onClose()}>
          ✕
        </button>
      </header>
      <Show when={asked.error()}>{(error) => <p class="error">{error().message}</p>}</Show>
      <FlameCanvas
        label={`Stack chart of ${header()?.name ?? 'the threads'}. Arrow keys move between boxes. Space selects the function, M opens its menu, Enter zooms to the box`}
        boxes={boxes()}
        rowCount={header()?.row_count ?? 0}
        isRootLow={false}
        isSearching={false}
        selected={app.state.selected ?? undefined}
        palette={palette()}
        change={fills()}
        describe={describe}
        onWindow={setWidth}
        onPoint={point}
        onSelect={select}
        onZoom={zoom}
        onZoomOut={() => setOptions({ [FROM]: '', [TO]: '' })}
        onMenu={(box, place) => {
          if (!isFolded(boxes().name(box))) app.openFunctionMenu(boxes().name(box), place);
        }}
      />
      <Notes notes={header()?.notes} isOpen={true} />
    </aside>
  );
}
