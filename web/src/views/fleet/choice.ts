// The query settings: services, versions, hosts, regions, labels, time range and the price of a core. The address
// contains these settings as options of the view `fleet`. The functions are pure.
import type { AppState } from '../../state/app_state';

/** Settings that contain names, in the order of the page. They are also the words of requests. */
export const NAMED = ['service', 'version', 'host', 'region', 'label'] as const;
export type Named = (typeof NAMED)[number];

export interface Choice extends Readonly<Record<Named, readonly string[]>> {
  /** How long ago, such as `24h`, or a time in UTC. */
  readonly since: string;
  readonly until: string;
  /** Price of a core for an hour; null: the server's price. */
  readonly price: string | null;
}

export const DEFAULT_SINCE = '1h';
export const DEFAULT_UNTIL = 'now';

type Options = AppState['options'];

export function choiceOf(options: Options): Choice {
  const names = (name: Named) => splitList(options[`fleet.${name}`] ?? '');
  return {
    service: names('service'),
    version: names('version'),
    host: names('host'),
    region: names('region'),
    label: names('label'),
    since: options['fleet.since'] ?? DEFAULT_SINCE,
    until: options['fleet.until'] ?? DEFAULT_UNTIL,
    price: options['fleet.price'] ?? null,
  };
}

/** The options with these settings. Initial values are left out. */
export function optionsOf(options: Options, choice: Choice): Options {
  const others = Object.entries(options).filter(([name]) => !OPTIONS.includes(name));
  const own: [string, string][] = NAMED.map((name) => [`fleet.${name}`, joinList(choice[name])]);
  if (choice.since !== DEFAULT_SINCE) own.push(['fleet.since', choice.since]);
  if (choice.until !== DEFAULT_UNTIL) own.push(['fleet.until', choice.until]);
  own.push(['fleet.price', choice.price ?? '']);
  return Object.fromEntries([...others, ...own.filter(([, value]) => value !== '')]);
}

const OPTIONS: readonly string[] = [...NAMED, 'since', 'until', 'price'].map((name) => `fleet.${name}`);

/** The settings as words of a request. */
export function wordsOf(choice: Choice): Record<string, unknown> {
  const { price, ...words } = choice;
  return { ...words, ...(price === null ? {} : { price: Number(price) }) };
}

/** `a,b`. Commas in names are escaped. */
export function joinList(names: readonly string[]): string {
  return names.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

export function splitList(text: string): string[] {
  const parts = text.split(',').filter((part) => part !== '');
  return parts.map((part) => part.replaceAll(/%2C/gi, ',').replaceAll('%25', '%'));
}

/** Sorts names so that `1.9` comes before `1.10`. */
export function byName(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}
