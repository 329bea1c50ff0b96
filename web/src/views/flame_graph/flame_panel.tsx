// One flame graph: requests the boxes on screen, draws them, and passes on the user's actions.

import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app';
import { BoxFlag, type FlameBoxes, NO_BOXES } from '../../canvas/flame_boxes';
import { FlameCanvas } from '../../canvas/flame_canvas';
import { flameSvg, paintFlame, ROW_HEIGHT } from '../../canvas/flame_painter';
import type { Totals } from '../../compare/change';
import { changeOfBoxes, totalsOf } from '../../compare/flame_change';
import { changeBy, comparisonOf, sortShown } from '../../compare/use_comparison';
import { changeSentence } from '../../compare/words';
import type { Direction, FlameGraphView } from '../../engine/answers';
import { isFolded } from '../../format/names';
import { percent, withUnit } from '../../format/numbers';
import { Failure } from '../../parts/parts';
import { comparedMetrics, treeColumns } from '../../state/column_choice';
import { joinedFilter } from '../../state/filter_parts';
import { ALL_SHOWN, frameworkKeys } from '../../state/framework_frames';
import { appearance } from '../../theme/appearance';
import { FRAME_KINDS } from '../../theme/colours';
import { flamePalette } from '../../theme/flame_palette';
import { boxesOf, callTreeOf, type ShownGraph, shownGraph, zoomOf } from './flame_answer';

export interface FlamePanelProps {
  readonly label: string;
  readonly direction: Direction;
  /** The function at the root of the graph, with its callees or callers; null: the whole experiment. */
  readonly root: string | null;
  readonly zoom: readonly number[];
  readonly search: string;
  readonly isRootLow: boolean;
  /** Position in the list of matches. When it changes, the graph moves to that match. */
  readonly match?: number | undefined;
  readonly onZoom: (zoom: number[]) => void;
  readonly onZoomOut: () => void;
  /** The option of the view with the frames of frameworks that are shown, and not folded. */
  readonly frameworks?: string | undefined;
  /** Whether a graph of blocked time contains the waits of idle threads. */
  readonly isIdleShown?: boolean;
  /** The user chose the box of folded frames at this node. */
  readonly onFolded?: (node: number) => void;
  /** The header of each new answer; undefined while there is no answer. */
  readonly onHeader?: (header: FlameGraphView | undefined) => void;
  readonly onKey?: (event: KeyboardEvent) => boolean;
  /** Whether the shell's export commands use this panel. */
  readonly isExported?: boolean;
  /** In comparisons: the side that sets the widths of boxes. */
  readonly part?: GraphPart;
  /** In comparisons: the total cost of both sides, once it is known. */
  readonly totals?: Totals | undefined;
}

/** `both`: the width is the mean of both sides, so that new and removed frames are visible. */
export type GraphPart = 'both' | 'baseline' | 'candidate';

/** Narrower boxes are joined with their siblings. */
const NARROWEST_PX = 0.5;
/** Rows are requested in steps, so that a little scrolling needs no request. */
const ROW_STEP = 64;
/** Largest height of a picture in pixels. Browsers and viewers refuse higher pictures. */
const HIGHEST_PICTURE = 8000;

export function FlamePanel(props: FlamePanelProps): JSX.Element {
  const app = useApp();
  const [width, setWidth] = createSignal(0);
  const [endRow, setEndRow] = createSignal(ROW_STEP);
  const rows = createMemo(() => Math.ceil(endRow() / ROW_STEP) * ROW_STEP + ROW_STEP);

  const asked = app.askBinary(() => {
    const metric = app.metric();
    if (width() === 0 || !metric) return null;
    return {
      ...app.query('flame-graph'),
      metric: metric.name,
      direction: props.direction,
      root: props.root,
      zoom: props.zoom,
      search: props.search === '' ? null : props.search,
      width_px: width(),
      first_row: 0,
      row_count: rows(),
      min_px: NARROWEST_PX,
      ...frameworkKeys(props.frameworks),
      idle: props.isIdleShown ? 'shown' : 'left_out',
      ...(comparisonOf(app) ? { part: props.part ?? 'both' } : {}),
    };
  });
  const graph = createMemo<ShownGraph | undefined>((before) => shownGraph(before, asked.asked(), asked.answer()), undefined);
  const answer = createMemo(() => graph()?.answer);
  const header = () => answer()?.header;
  const boxes = createMemo<FlameBoxes>(() => {
    const shown = answer();
    return shown ? boxesOf(shown) : NO_BOXES;
  });
  createEffect(() => props.onHeader?.(header()));

  const palette = createMemo(flamePalette);

  const totals = createMemo(() => totalsOf(boxes(), props.totals));
  const change = createMemo(() => changeOfBoxes(boxes(), totals(), changeBy(app), appearance()));
  /** `3.2 µs → 2.9 µs (−0.3 µs, −9.4 %)`; undefined outside of comparisons. */
  const changed = (box: number, of: 'baseline' | 'own_baseline'): string | undefined => {
    const { arrays } = boxes();
    const [baseline, candidate] =
      of === 'baseline' ? [arrays.baseline, arrays.candidate] : [arrays.own_baseline, arrays.own_candidate];
    if (!baseline || !candidate) return undefined;
    return changeSentence(baseline[box]!, candidate[box]!, header()?.unit ?? 'count');
  };

  const share = (value: number): string => {
    const total = header()?.total ?? 0;
    return total > 0 ? percent(value / total) : '-';
  };
  const inWords = (value: number): string => `${withUnit(value, header()?.unit ?? 'count')} (${share(value)})`;
  const describe = (box: number): string => {
    const { value, own } = boxes().arrays;
    const words = changed(box, 'baseline');
    if (words) return [`inclusive ${words}`, changed(box, 'own_baseline')].filter((part) => part).join(', exclusive ');
    if (boxes().has(box, BoxFlag.joined)) return `${own[box]} functions, total ${inWords(value[box]!)}`;
    return `inclusive ${inWords(value[box]!)}, exclusive ${inWords(own[box]!)}`;
  };

  const point = (box: number | undefined): void => {
    app.showDetails(box === undefined || box >= boxes().length ? null : detailsOf(box));
  };
  const detailsOf = (box: number) => {
    const { value, own } = boxes().arrays;
    const title = app.metric()?.title ?? '';
    if (boxes().has(box, BoxFlag.joined)) {
      const name = `${own[box]} functions that are too small to draw here`;
      return {
        name,
        facts: ['click to list them'],
        values: [[`Total ${title}`, changed(box, 'baseline') ?? inWords(value[box]!)]] as const,
      };
    }
    const words = changed(box, 'baseline');
    if (words) {
      const own = changed(box, 'own_baseline');
      const values = [[`Inclusive ${title}`, words], ...(own ? [[`Exclusive ${title}`, own] as const] : [])] as const;
      return { name: boxes().name(box), facts: [FRAME_KINDS[boxes().kind(box)]?.title ?? ''], values };
    }
    const parent = boxes().step(box, 'parent');
    const ofParent = parent === box ? [] : ([['Share of its caller', percent(value[box]! / value[parent]!)]] as const);
    return {
      name: boxes().name(box),
      facts: [FRAME_KINDS[boxes().kind(box)]?.title ?? ''],
      values: [
        [`Inclusive ${title}`, inWords(value[box]!)],
        [`Exclusive ${title}`, inWords(own[box]!)],
        ...(props.direction === 'callees' ? ofParent : []),
      ] as const,
    };
  };

  const [wanted, setWanted] = createSignal<number>();
  // Runs only when the user goes to a match. If it ran for each answer, a match would undo every zoom.
  createEffect(
    on(
      () => props.match,
      (index) => {
        const match = index === undefined ? undefined : header()?.search?.matches[index];
        const box = match && boxes().ofNode(match.node);
        setWanted(box);
        // The match is too small for a box, or it is far below the screen. The graph zooms to it.
        if (match && box === undefined && props.direction === 'callees') props.onZoom([match.node]);
      },
    ),
  );

  /** Zooms to a box. If joined boxes are directly below the zoom, the call tree lists them instead. */
  const open = (box: number): void => {
    const isJoined = boxes().has(box, BoxFlag.joined);
    if (isJoined && boxes().arrays.row[box] === 1) {
      const { direction, root } = props;
      const tree = callTreeOf({ direction, root, zoomPath: header()?.zoom_path ?? [] });
      app.navigate({ view: 'call-tree', options: { ...app.state.options, ...tree } });
    } else {
      props.onZoom(zoomOf(boxes(), isJoined ? boxes().step(box, 'parent') : box, props.direction, props.zoom));
    }
  };

  /** The loaded rows, starting at the root: the rows on screen and some more. */
  const pictureWindow = () => {
    const rowCount = Math.min(boxes().lastRow + 1, Math.floor(HIGHEST_PICTURE / ROW_HEIGHT));
    return { width: width(), height: rowCount * ROW_HEIGHT, scrolled: 0, isRootLow: props.isRootLow, rowCount };
  };
  const look = () => ({
    palette: palette(),
    marks: { focused: undefined, selected: undefined, isSearching: props.search !== '', change: change() },
  });
  const exported = () => {
    const columns = treeColumns(app.metric()?.name);
    return columns !== null && comparisonOf(app) ? comparedMetrics(columns) : columns;
  };
  /** The exported call tree has the same samples as the graph. */
  const withoutIdle = (): { filter?: string } => {
    if (!header()?.leaves_out_idle) return {};
    const filter = joinedFilter([...app.state.filter, 'not wait is idle']);
    return filter ? { filter } : {};
  };
  if (props.isExported) {
    app.offerExport({
      // The command line has no text for the direction `callers`.
      request: () =>
        props.direction === 'callers'
          ? null
          : {
              ...app.query('call-tree'),
              ...withoutIdle(),
              metrics: exported(),
              sort: sortShown(app, exported()),
              root: props.root,
              ...(props.frameworks === ALL_SHOWN ? { frameworks: ALL_SHOWN } : {}),
            },
      svg: () => flameSvg(boxes(), pictureWindow(), look(), props.label),
      png: () => picture(boxes(), pictureWindow(), look()),
    });
  }

  const [printed, setPrinted] = createSignal<string>();
  const print = () => setPrinted(flameSvg(boxes(), pictureWindow(), look(), props.label));
  const endPrint = () => setPrinted(undefined);
  window.addEventListener('beforeprint', print);
  window.addEventListener('afterprint', endPrint);
  onCleanup(() => {
    window.removeEventListener('beforeprint', print);
    window.removeEventListener('afterprint', endPrint);
  });

  return (
    <>
      {/* The graph stays while a search is incomplete. */}
      <Show when={asked.error()}>
        {(error) => (
          <Show when={header()} fallback={<Failure error={error()} />}>
            <p class="error">{error().message}</p>
          </Show>
        )}
      </Show>
      <Show when={header() || !asked.error()}>
        <FlameCanvas
          label={props.label}
          boxes={boxes()}
          rowCount={header()?.row_count ?? 0}
          isRootLow={props.isRootLow}
          isSearching={props.search !== ''}
          selected={app.state.selected ?? undefined}
          palette={palette()}
          change={change()}
          wanted={wanted()}
          describe={describe}
          onWindow={(newWidth, newEndRow) => {
            setWidth(newWidth);
            setEndRow(newEndRow);
          }}
          onPoint={point}
          onSelect={(box) => {
            if (isFolded(boxes().name(box))) props.onFolded?.(boxes().arrays.node[box]!);
            else app.select(boxes().name(box));
          }}
          onZoom={open}
          onZoomOut={props.onZoomOut}
          onMenu={(box, place) => {
            const isFunction = !boxes().has(box, BoxFlag.joined) && !isFolded(boxes().name(box));
            if (isFunction) app.openFunctionMenu(boxes().name(box), place);
          }}
          {...(props.onKey ? { onKey: props.onKey } : {})}
        />
      </Show>
      {/* On paper, all loaded rows are visible, not only those of the window. */}
      <Show when={printed()}>{(svg) => <div class="flame-print" innerHTML={svg()} />}</Show>
    </>
  );
}

/** The graph as a PNG, at twice the resolution of the page. */
async function picture(
  boxes: FlameBoxes,
  window: Parameters<typeof paintFlame>[2],
  look: Parameters<typeof paintFlame>[3],
): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = window.width * 2;
  canvas.height = Math.max(window.height, 1) * 2;
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) throw new Error('this browser cannot draw the picture');
  context.scale(2, 2);
  paintFlame(context, boxes, window, look);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('this browser cannot make a PNG'))), 'image/png');
  });
}
