// A Vite plugin for the page of report files, which must be small. A report holds one experiment and has no server, so
// it needs no code for fleets, comparisons, verifications and live collections. The engine of a report has no wakers and locks. The
// plugin replaces the modules for these features by stubs with the same names.
import type { Plugin } from 'vite';

const NOTHING = '() => null';

/** A view that says why a report does not show it. */
const elsewhere = (name: string, title: string, key: string, order: number) =>
  `export const view = ${JSON.stringify({ name, title, question: '', key, order, group: 'time' })};
   view.missing = () => 'A report file does not tell who ended waits. Open the experiment with whittle view to see it';`;

/** The replacement of each module, by the end of its path. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '/src/engine/http.ts': 'export const HttpEngine = class {};',
  '/src/views/experiments/index.tsx': 'export const view = undefined;',
  '/src/views/fleet/index.tsx': 'export const view = undefined;',
  '/src/views/verification/index.tsx': 'export const view = undefined;',
  '/src/views/wakers/index.tsx': elsewhere('wakers', 'Wakers', 'u', 94),
  '/src/views/locks/index.tsx': elsewhere('locks', 'Locks', 'k', 96),
  '/src/views/requests/parts_of_requests.tsx': [
    `export const PartsOfRequests = ${NOTHING};`,
    `export const PartsOfSlowest = ${NOTHING};`,
  ].join('\n'),
  '/src/views/home/compared.tsx': `export const ComparedPage = ${NOTHING};`,
  '/src/compare/band.tsx': `export const ComparisonBand = ${NOTHING};`,
  '/src/compare/change_legend.tsx': `export const ChangeLegend = ${NOTHING};`,
  '/src/compare/compared_columns.tsx': [
    `export const ChangeBar = ${NOTHING};`,
    'export const comparedCells = () => [];',
    'export const comparedColumns = () => [];',
    'export const presenceMark = () => undefined;',
  ].join('\n'),
  '/src/compare/flame_change.ts': [
    'export const changeOfBoxes = () => undefined;',
    'export const totalsOf = () => undefined;',
  ].join('\n'),
};

export function leftOut(): Plugin {
  return {
    name: 'whittle-left-out',
    enforce: 'pre',
    load(id) {
      const found = Object.keys(REPLACEMENTS).find((ending) => id.endsWith(ending));
      return found && REPLACEMENTS[found];
    },
  };
}
