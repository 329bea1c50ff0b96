// One flame graph: asks the engine for the boxes on screen, draws them, and passes on what the user does.
import { createEffect, createMemo, createSignal, type JSX, on, Show } from 'solid-js';
import { useApp } from '../../app';
import { changeBy, comparisonOf, sortShown } from '../../compare/use_comparison';
import type { Totals } from '../../compare/change';
import { changeOfBoxes, totalsOf } from '../../compare/flame_change';
import { changeSentence } from '../../compare/words';
import { BoxFlag, type FlameBoxes, NO_BOXES } from '../../canvas/flame_boxes';
import { FlameCanvas } from '../../canvas/flame_canvas';
import { type FlamePalette, ROW_HEIGHT, flameSvg, paintFlame } from '../../canvas/flame_painter';
import { percent, withUnit } from '../../format/numbers';
import { comparedMetrics } from '../../table/column_choice';
import { appearance, token } from '../../theme/appearance';
import { FRAME_INK, FRAME_KINDS, MATCH_COLOUR, frameColour } from '../../theme/colours';
import { type Direction, type FlameHeader, type ShownGraph, boxesOf, callTreeOf, shownGraph, zoomOf } from './flame_answer';

export interface FlamePanelProps {
  readonly label: string;
  readonly direction: Direction;
  /** The function whose callees or callers are shown; null: everything. */
  readonly root: string | null;
  readonly zoom: readonly number[];
  readonly search: string;
  readonly isRootLow: boolean;
  /** Position in the list of matches of what to go to; it goes there when this changes. */
  readonly match?: number | undefined;
  readonly onZoom: (zoom: number[]) => void;
  readonly onZoomOut: () => void;
  /** Each new answer's header, or undefined while there is none. */
  readonly onHeader?: (header: FlameHeader | undefined) => void;
  readonly onKey?: (event: KeyboardEvent) => boolean;
  /** Whether this panel is what the shell's export commands take. */
  readonly isExported?: boolean;
  /** In comparisons: whose costs are the widths. */
  readonly part?: GraphPart;
  /** In comparisons: what all stacks cost on both sides, once that is known. */
  readonly totals?: Totals | undefined;
}

/** `both`: widths are the mean of both sides, so that new and removed frames are there. */
export type GraphPart = 'both' | 'baseline' | 'candidate';

/** Boxes narrower than this are joined with their siblings. */
const NARROWEST_PX = 0.5;
/** Rows are asked for in steps, so that scrolling a little asks nothing. */
const ROW_STEP = 64;
/** Pixels of a picture: higher ones are refused by browsers and viewers. */
const HIGHEST_PICTURE = 8000;

export function FlamePanel(props: FlamePanelProps): JSX.Element {
  const app = useApp();
  const [width, setWidth] = createSignal(0);
  const [endRow, setEndRow] = createSignal(ROW_STEP);
  const rows = createMemo(() => Math.ceil(endRow() / ROW_STEP) * ROW_STEP + ROW_STEP);

  const asked = app.askBinary<FlameHeader>(() => {
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

  const palette = createMemo<FlamePalette>(() => {
    const look = appearance();
    return {
      fill: (kind) => frameColour(kind, look),
      text: FRAME_INK,
      paledText: token('--ink'),
      background: token('--paper'),
      joined: token('--paper-3'),
      joinedText: token('--ink-2'),
      match: MATCH_COLOUR[look],
      matchText: FRAME_INK,
      selected: token('--accent'),
      focus: token('--ink'),
    };
  });

  const totals = createMemo(() => totalsOf(boxes(), props.totals));
  const change = createMemo(() => changeOfBoxes(boxes(), totals(), changeBy(app), appearance()));
  /** `3.2 µs → 2.9 µs (−0.3 µs, −9.4 %)`; undefined where there are no sides. */
  const changed = (box: number, of: 'baseline' | 'own_baseline'): string | undefined => {
    const { arrays } = boxes();
    const [baseline, candidate] = of === 'baseline' ? [arrays.baseline, arrays.candidate] : [arrays.own_baseline, arrays.own_candidate];
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
    if (boxes().has(box, BoxFlag.joined)) return `${own[box]} functions together ${inWords(value[box]!)}`;
    return `inclusive ${inWords(value[box]!)}, exclusive ${inWords(own[box]!)}`;
  };

  const point = (box: number | undefined): void => {
    app.showDetails(box === undefined || box >= boxes().length ? null : detailsOf(box));
  };
  const detailsOf = (box: number) => {
    const { value, own } = boxes().arrays;
    const title = app.metric()?.title ?? '';
    if (boxes().has(box, BoxFlag.joined)) {
      const name = `${own[box]} functions too small to draw here`;
      return { name, facts: ['click to see them'], values: [[`Together ${title}`, changed(box, 'baseline') ?? inWords(value[box]!)]] as const };
    }
    const words = changed(box, 'baseline');
    if (words) {
      const own = changed(box, 'own_baseline');
      const values = [[`Inclusive ${title}`, words], ...(own ? [[`Exclusive ${title}`, own] as const] : [])] as const;
      return { name: boxes().name(box), facts: [FRAME_KINDS[boxes().kind(box)]?.title ?? ''], values };
    }
    const parent = boxes().step(box, 'parent');
    const ofParent = parent === box ? [] : ([['Of its caller', percent(value[box]! / value[parent]!)]] as const);
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
  // Only when the user goes to a match, not with each answer: else a match would draw every zoom back to itself.
  createEffect(
    on(
      () => props.match,
      (index) => {
        const match = index === undefined ? undefined : header()?.search?.matches?.[index];
        const box = match && boxes().ofNode(match.node);
        setWanted(box);
        // Too small to be a box, or far below: the graph is zoomed to it.
        if (match && box === undefined && props.direction === 'callees') props.onZoom([match.node]);
      },
    ),
  );

  /** Zooms to a box; joined ones below what is zoomed to already are listed in the call tree instead. */
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

  /** The rows that are loaded: those on screen and some more, from the root on. */
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
  if (props.isExported) {
    app.offerExport({
      // The command line has no text for the other direction.
      request: () =>
        props.direction === 'callers' ? null : { ...app.query('call-tree'), metrics: exported(), sort: sortShown(app, exported()), root: props.root },
      svg: () => flameSvg(boxes(), pictureWindow(), look(), props.label),
      png: () => picture(boxes(), pictureWindow(), look()),
    });
  }

  return (
    <>
      <Show when={asked.error()}>{(error) => <p class="error">{error().message}</p>}</Show>
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
        onSelect={(box) => app.select(boxes().name(box))}
        onZoom={open}
        onZoomOut={props.onZoomOut}
        onMenu={(box, place) => {
          if (!boxes().has(box, BoxFlag.joined)) app.openFunctionMenu(boxes().name(box), place);
        }}
        {...(props.onKey ? { onKey: props.onKey } : {})}
      />
    </>
  );
}

/** The columns of a tree of one metric, in the metric language. */
export function treeColumns(metric: string | undefined): string | null {
  return metric === undefined ? null : `i.${metric},i.${metric}%,e.${metric}`;
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
