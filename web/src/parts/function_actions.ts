// The actions for a function. The menu, the details strip and the help use the same list.
import type { App } from '../app';
import { packageOf } from '../format/names';
import { quoted } from '../format/quoting';

export interface FunctionTarget {
  name: string;
  binary?: string | null;
  kind?: string;
}

export interface FunctionAction {
  /** The key while the menu is open. */
  key: string;
  title: string;
  group: 'show' | 'change' | 'copy' | 'note';
  /** False if the action has no meaning for this function. */
  fits?(target: FunctionTarget): boolean;
  run(app: App, target: FunctionTarget): void;
}

const isCode = (target: FunctionTarget) => !target.name.startsWith('<');
const isTotal = (target: FunctionTarget) => target.name === '<Total>';

export const FUNCTION_ACTIONS: readonly FunctionAction[] = [
  {
    key: 'c',
    title: 'Callers and callees',
    group: 'show',
    run: (app, { name }) => setCentre(app, name),
  },
  {
    key: 'g',
    title: 'Flame graph from here',
    group: 'show',
    fits: (target) => !isTotal(target),
    run: (app, { name }) =>
      app.navigate({ view: 'flame-graph', selected: name, zoom: [], transforms: added(app, `focus ${quoted(name)}`) }),
  },
  {
    key: 'w',
    title: 'Sandwich: all callers, all callees',
    group: 'show',
    run: (app, { name }) => app.navigate({ view: 'sandwich', selected: name, zoom: [] }),
  },
  {
    key: 's',
    title: 'Source',
    group: 'show',
    fits: isCode,
    run: (app, { name }) => app.navigate({ view: 'source', selected: name }),
  },
  {
    key: 'd',
    title: 'Details',
    group: 'show',
    run: (app, { name }) => app.navigate({ view: 'function', selected: name }),
  },
  {
    key: 'o',
    title: 'Show only stacks with this function',
    group: 'change',
    fits: (target) => !isTotal(target),
    run: (app, { name }) => app.addFilter(`stack has ${quoted(name)}`),
  },
  {
    key: 'f',
    title: 'Focus: this function and its callees',
    group: 'change',
    fits: (target) => !isTotal(target),
    run: (app, { name }) => app.addTransform(`focus ${quoted(name)}`),
  },
  {
    key: 'm',
    title: 'Merge into its callers',
    group: 'change',
    fits: isCode,
    run: (app, { name }) => app.addTransform(`merge ${quoted(name)}`),
  },
  {
    key: 'h',
    title: 'Hide stacks with this function',
    group: 'change',
    fits: (target) => !isTotal(target),
    run: (app, { name }) => app.addTransform(`hide ${quoted(name)}`),
  },
  {
    key: 'p',
    title: 'Collapse its package',
    group: 'change',
    fits: ({ name }) => packageOf(name) !== undefined,
    run: (app, { name }) => app.addTransform(`collapse package ${quoted(packageOf(name) ?? '')}`),
  },
  {
    key: 'b',
    title: 'Collapse its binary',
    group: 'change',
    fits: ({ binary }) => typeof binary === 'string' && binary !== '',
    run: (app, { binary }) => app.addTransform(`collapse binary ${quoted(fileName(binary ?? ''))}`),
  },
  {
    key: 'r',
    title: 'Collapse recursion',
    group: 'change',
    fits: isCode,
    run: (app, { name }) => app.addTransform(`collapse recursion ${quoted(name)}`),
  },
  { key: 'y', title: 'Copy name', group: 'copy', run: (app, { name }) => void copyText(app, name, 'The name') },
];

/** The option of callers-callees that keeps the centre on `<Total>`. Otherwise, a view without centre chooses one. */
export const CENTRE = 'callers-callees.centre';
export const TOTAL_CENTRE = 'total';

/** Makes a function the centre of callers-callees. */
export function setCentre(app: App, name: string): void {
  const ofTotal = { fragment: [], options: { ...app.state.options, [CENTRE]: TOTAL_CENTRE } };
  app.navigate({ view: 'callers-callees', selected: name, ...(isTotal({ name }) ? ofTotal : { fragment: [name] }) });
}

export async function copyText(app: App, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    app.say(`${what} was copied`);
  } catch {
    app.say(copyBySelection(text) ? `${what} was copied` : 'The browser does not allow this page to copy');
  }
}

/** For pages that were opened from disk, because these may have no access to the clipboard. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}

function added(app: App, line: string): string[] {
  return app.state.transforms.includes(line) ? [...app.state.transforms] : [...app.state.transforms, line];
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
