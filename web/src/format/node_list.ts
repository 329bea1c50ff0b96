// Lists of nodes as a short text for the URL, in base 36. In trees of callers, numbers of nodes need more than 32 bits.

const BASE = 36;

/** `1a.2b` */
export function writeNodes(nodes: readonly number[]): string {
  return nodes.map((node) => node.toString(BASE)).join('.');
}

/** Text that is no number is left out. */
export function readNodes(list: string): number[] {
  const nodes = list.split('.').filter((node) => /^[0-9a-z]{1,11}$/.test(node));
  return nodes.map((node) => Number.parseInt(node, BASE)).filter((node) => Number.isSafeInteger(node));
}
