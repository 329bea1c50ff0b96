import { expect, test } from 'vitest';
import { NO_BOXES } from '../../canvas/flame_boxes';
import type { FlameAnswer } from '../../engine/pictures';
import type { Request } from '../../engine/request';
import { OPEN_NOTHING, writeOpen } from '../call_tree/open_nodes';
import { callTreeOf, shownGraph } from './flame_answer';

const request = (search: string | null, filter: string | null = null): Request => ({ view: 'flame-graph', filter, search });
const answer: FlameAnswer = {
  kind: 'binary',
  header: {
    view: 'flame-graph',
    mode: 'user',
    filter: null,
    transforms: [],
    sorted_by: 'inclusive_cpu_ns',
    notes: [],
    metric: 'cpu',
    title: 'CPU',
    unit: 'nanoseconds',
    direction: 'callees',
    root: null,
    total: 3,
    shown_total: 3,
    base_total: 3,
    row_count: 1,
    names: {},
    zoom_path: [],
    has_folded: false,
    leaves_out_idle: false,
    search: {
      pattern: 'parse',
      matched_weight: 2,
      matched_ratio: 2 / 3,
      shown_matched_weight: 2,
      shown_matched_ratio: 2 / 3,
      match_count: 2,
      function_count: 1,
      matches: [],
    },
  },
  arrays: NO_BOXES.arrays,
};

test('an expression that is not finished leaves the graph, without matches', () => {
  const good = shownGraph(undefined, request('parse'), answer);
  expect(good.answer).toBe(answer);
  const typing = shownGraph(good, request('parse('), undefined);
  expect(typing.answer?.header).toEqual({ ...answer.header, search: null });
  expect(shownGraph(typing, request('parse(x'), undefined).answer?.header.total).toBe(3);
});

test('after any other error there is no graph', () => {
  const good = shownGraph(undefined, request(null), answer);
  expect(shownGraph(good, request(null), undefined).answer).toBeUndefined();
  expect(shownGraph(good, request('parse(', 'mode is'), undefined).answer).toBeUndefined();
});

const path = [
  { function: 0, name: '<Total>', node: 0 },
  { function: 5, name: 'A.f', node: 7 },
];

test('joined boxes are listed in the call tree of the same direction and root', () => {
  const tree = (direction: 'callers' | 'callees', root: string | null, zoomPath = path) =>
    callTreeOf({ direction, root, zoomPath });
  const open = writeOpen({ ...OPEN_NOTHING, expanded: [0, 7] });
  expect(tree('callees', null)).toEqual({ 'call-tree.direction': '', 'call-tree.from': '', 'call-tree.open': open });
  expect(tree('callees', 'B.g')).toEqual({ 'call-tree.direction': '', 'call-tree.from': 'B.g', 'call-tree.open': '' });
  expect(tree('callers', null, path.slice(0, 1))).toEqual({
    'call-tree.direction': 'callers',
    'call-tree.from': '',
    'call-tree.open': '',
  });
  expect(tree('callers', null)).toEqual({ 'call-tree.direction': 'callers', 'call-tree.from': 'A.f', 'call-tree.open': '' });
  expect(tree('callers', 'B.g')).toEqual({ 'call-tree.direction': 'callers', 'call-tree.from': 'B.g', 'call-tree.open': '' });
});
