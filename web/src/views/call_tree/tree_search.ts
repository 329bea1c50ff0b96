// The search of the call tree. Only open rows are loaded, so the matches are those of the flame graph of the same stacks.
import { type Accessor, createEffect, createMemo, createSignal, untrack } from 'solid-js';
import { useApp } from '../../app';
import { FlameBoxes, NO_BOXES } from '../../canvas/flame_boxes';
import type { EngineError } from '../../engine/answer';
import type { TreeWindowRow } from '../../engine/answers';
import type { Request } from '../../engine/request';
import { createSearch, type Search } from '../../parts/search_box';
import { type OpenNodes, opened } from './open_nodes';
import { followWay, matchesOf, type WayStep, wayTo } from './way';

/** The ways to this many of the heaviest matches are opened at once. */
const OPENED_WAYS = 5;

/** The tree in which the search opens rows. */
export interface SearchedTree {
  /** The keys of requests for the stacks in the tree. */
  stacks(): { readonly direction: string; readonly root: string | null };
  /** The request for all visible rows. */
  rows(): Request<'tree-rows'>;
  isLoading(): boolean;
  hasFolded(): boolean | undefined;
  open(): OpenNodes;
  setOpen(open: OpenNodes): void;
  focusOn(index: number): void;
}

export function createTreeSearch(tree: SearchedTree): Search & {
  error: Accessor<EngineError | undefined>;
  isMatch(name: string): boolean;
} {
  const app = useApp();
  const graph = (zoom: readonly number[]) => ({
    ...app.query('flame-graph'),
    ...tree.stacks(),
    metric: app.metric()?.name,
    search: app.state.search,
    idle: 'shown',
    zoom,
  });
  const asked = app.askBinary(() => (app.state.search === '' ? null : graph([])));
  const header = () => asked.answer()?.header;
  const boxes = createMemo(() => {
    const answer = asked.answer();
    return answer ? new FlameBoxes(answer.arrays, answer.header.names) : NO_BOXES;
  });
  const found = createMemo(() => {
    const result = header()?.search;
    return result ? { pattern: result.pattern, matches: matchesOf(boxes(), result.matches) } : undefined;
  });
  const search = createSearch(found, tree.hasFolded, 0);
  const names = createMemo(() => new Set(search.found()?.matches.map(({ of }) => header()?.names[of])));

  /** The nodes of the flame graph are those of the tree. In all other graphs, they are numbered for one answer. */
  const hasNodes = () => tree.stacks().direction === 'callees' && tree.stacks().root === null;
  const match = createMemo(() => {
    const result = search.found();
    return result?.pattern === app.state.search ? result.matches[search.match() ?? 0] : undefined;
  });
  // A zoom to a match without a box shows the way.
  const alone = app.askBinary(() => (match() && match()?.box === undefined ? graph([match()!.node]) : null));
  const way = createMemo<readonly WayStep[] | undefined>(
    () => {
      const to = match();
      if (to?.box !== undefined) return wayTo(boxes(), to.box);
      const steps = alone.answer()?.header.zoom_path ?? [];
      return to && steps.at(-1)?.node === to.node ? steps.slice(1) : undefined;
    },
    undefined,
    { equals: (left, right) => JSON.stringify(left) === JSON.stringify(right) },
  );

  const [sought, seek] = createSignal<readonly WayStep[]>();
  createEffect(() => seek(way()));
  const rows = app.ask(() => (sought() ? { ...tree.rows(), skip: 0, limit: null } : null));
  // What was open before the search. The ways to matches of a shorter text are closed again.
  let before = tree.open();
  let text = '';
  const goOn = (shown: readonly TreeWindowRow[], steps: readonly WayStep[]): void => {
    const { index, isClosed } = followWay(shown, steps, (row, step) =>
      hasNodes() ? row.node === step.node : row.function === step.name,
    );
    if (!isClosed) {
      seek(undefined);
      tree.focusOn(index);
      return;
    }
    const heaviest = search.found()?.matches.slice(0, OPENED_WAYS) ?? [];
    const ways = hasNodes() ? [steps, ...heaviest.map(({ box }) => (box === undefined ? [] : wayTo(boxes(), box)))] : [];
    const nodes = [shown[index]!.node, ...ways.flatMap((each) => each.slice(0, -1).map((step) => step.node))];
    const open = text === app.state.search ? tree.open() : before;
    text = app.state.search;
    tree.setOpen(nodes.reduce((known, each) => opened(known, each, true), open));
  };
  createEffect(() => {
    const steps = sought();
    const shown = rows.answer()?.rows;
    if (steps && shown?.length && !rows.isLoading() && !tree.isLoading()) untrack(() => goOn(shown, steps));
  });

  return {
    ...search,
    start(next) {
      if (app.state.search === '') before = tree.open();
      search.start(next);
    },
    error: asked.error,
    isMatch: (name) => names().has(name),
  };
}
