// Whether call tree and flame graph show the frames of frameworks. Both views have the same setting.

import { readNodes, writeNodes } from '../format/node_list';

/** The name of the option. Its value is `shown`, or a list of the folded frames that are opened. */
export const FRAMEWORKS = 'frameworks';
export const ALL_SHOWN = 'shown';

/** The largest number of a node in a request. */
const MAX_NODE = 0xffff_ffff;

/** The keys of a request. */
export function frameworkKeys(option: string | undefined): { frameworks: 'shown' | 'folded'; opened: number[] } {
  return option === ALL_SHOWN
    ? { frameworks: 'shown', opened: [] }
    : { frameworks: 'folded', opened: readNodes(option ?? '').filter((node) => node <= MAX_NODE) };
}

/** The option when nodes have new numbers: frames that were opened one by one are folded again. */
export function withoutOpened(options: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(options).filter(([name, value]) => name !== FRAMEWORKS || value === ALL_SHOWN);
  return Object.fromEntries(kept);
}

/** The option after folded frames were opened. */
export function withOpened(option: string | undefined, node: number): string {
  const { opened } = frameworkKeys(option);
  return writeNodes([...opened.filter((other) => other !== node), node]);
}
