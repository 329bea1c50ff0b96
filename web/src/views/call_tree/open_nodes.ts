// The open subtrees of the call tree as a short text for the URL: three lists of nodes.

import { readNodes, writeNodes } from '../../format/node_list';

export interface OpenNodes {
  readonly expanded: readonly number[];
  readonly collapsed: readonly number[];
  /** Nodes with an open hot path below them. */
  readonly hot: readonly number[];
}

export const OPEN_NOTHING: OpenNodes = { expanded: [], collapsed: [], hot: [] };

const LIST_MARK = '~';

/** `1a.2b~3~`: 1a and 2b are open, 3 is closed, there are no hot paths. */
export function writeOpen(open: OpenNodes): string {
  const lists = [open.expanded, open.collapsed, open.hot];
  if (lists.every((list) => list.length === 0)) return '';
  return lists.map(writeNodes).join(LIST_MARK);
}

/** Invalid text gives no open nodes. */
export function readOpen(text: string): OpenNodes {
  const [expanded = [], collapsed = [], hot = []] = text.split(LIST_MARK).map(readNodes);
  return { expanded, collapsed, hot };
}

/** The open nodes after one subtree was opened or closed. */
export function opened(open: OpenNodes, node: number, isExpanded: boolean): OpenNodes {
  const without = (list: readonly number[]) => list.filter((other) => other !== node);
  return {
    expanded: isExpanded ? [...without(open.expanded), node] : without(open.expanded),
    collapsed: isExpanded ? without(open.collapsed) : [...without(open.collapsed), node],
    hot: isExpanded ? open.hot : without(open.hot),
  };
}
