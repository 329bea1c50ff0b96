import { expect, test } from 'vitest';
import type { Request } from '../../engine/request';
import { OPEN_NOTHING, writeOpen } from '../call_tree/open_nodes';
import { type FlameAnswer, callTreeOf, shownGraph } from './flame_answer';

const request = (search: string | null, filter: string | null = null): Request => ({ view: 'flame-graph', filter, search });
const answer = { kind: 'binary', header: { total: 3, search: { match_count: 2 } }, arrays: {} } as unknown as FlameAnswer;

test('an expression that is not finished leaves the graph, without matches', () => {
  const good = shownGraph(undefined, request('parse'), answer);
  expect(good.answer).toBe(answer);
  const typing = shownGraph(good, request('parse('), undefined);
  expect(typing.answer?.header).toEqual({ total: 3, search: null });
  expect(shownGraph(typing, request('parse(x'), undefined).answer?.header.total).toBe(3);
});

test('after any other error there is no graph', () => {
  const good = shownGraph(undefined, request(null), answer);
  expect(shownGraph(good, request(null), undefined).answer).toBeUndefined();
  expect(shownGraph(good, request('parse(', 'mode is'), undefined).answer).toBeUndefined();
});

const path = [{ function: 0, name: '<Total>', node: 0 }, { function: 5, name: 'A.f', node: 7 }];

test('joined boxes are listed in the call tree of the same direction and root', () => {
  const tree = (direction: 'callers' | 'callees', root: string | null, zoomPath = path) => callTreeOf({ direction, root, zoomPath });
  const open = writeOpen({ ...OPEN_NOTHING, expanded: [0, 7] });
  expect(tree('callees', null)).toEqual({ 'call-tree.direction': '', 'call-tree.from': '', 'call-tree.open': open });
  expect(tree('callees', 'B.g')).toEqual({ 'call-tree.direction': '', 'call-tree.from': 'B.g', 'call-tree.open': '' });
  expect(tree('callers', null, path.slice(0, 1))).toEqual({ 'call-tree.direction': 'callers', 'call-tree.from': '', 'call-tree.open': '' });
  expect(tree('callers', null)).toEqual({ 'call-tree.direction': 'callers', 'call-tree.from': 'A.f', 'call-tree.open': '' });
  expect(tree('callers', 'B.g')).toEqual({ 'call-tree.direction': 'callers', 'call-tree.from': 'B.g', 'call-tree.open': '' });
});
