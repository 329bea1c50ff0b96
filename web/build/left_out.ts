// A Vite plugin for the page of report files, which must be small. A report holds one experiment and has no server, so
// it needs no code for fleets, comparisons, verifications and live collections. The engine of a report has no wakers, locks, stack
// charts, heat maps, lanes, and groups of threads other than pools. Completions, tooltips, the time breakdown and the choice of counters are left out to save space. The
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
  '/src/views/timeline/picture_switch.tsx': [
    `export const PictureSwitch = ${NOTHING};`,
    'export const ChosenPicture = (props) => props.strips({});',
  ].join('\n'),
  '/src/views/timeline/compared_timeline.tsx': `export const ComparedTimeline = ${NOTHING};`,
  '/src/views/timeline/counter_menu.tsx': [
    `export const CounterMenu = ${NOTHING};`,
    'export const useShownCounters = (uses) => () => uses().map((use) => use.name);',
  ].join('\n'),
  // All counters that are not always 0, in the engine's order.
  '/src/views/timeline/counter_order.ts': `export const byUse = (answer) => {
    const { counters = [], bins } = answer?.header ?? {};
    return counters.filter((_, at) => answer.arrays.counters.subarray(at * bins, (at + 1) * bins).some((value) => value > 0));
  };`,
  '/src/views/timeline/lanes.tsx': `export const Lanes = ${NOTHING}; export const TrackBand = ${NOTHING};`,
  '/src/views/timeline/event_pane.tsx': `export const EventPane = ${NOTHING};`,
  '/src/views/timeline/stack_chart.tsx': [
    'export const CHART_KEYS = [];',
    `export const StackChart = ${NOTHING};`,
    `export const StackChartButton = ${NOTHING};`,
    `export const useStackChart = () => ${NOTHING};`,
  ].join('\n'),
  '/src/views/timeline/group_by.tsx': `export const GROUP = ''; export const groupBy = () => 'pool'; export const GroupBy = ${NOTHING};`,
  '/src/views/requests/parts_of_requests.tsx': [
    `export const PartsOfRequests = ${NOTHING};`,
    `export const PartsOfSlowest = ${NOTHING};`,
  ].join('\n'),
  '/src/shell/completion_list.tsx': `export const useOffers = () => () => []; export const CompletionList = ${NOTHING};`,
  '/src/shell/pointer_tooltip.tsx': `export const PointerTooltip = ${NOTHING};`,
  '/src/views/home/measured_saving.tsx': "export const MeasuredSaving = () => 'not measured yet, run whittle verify';",
  // The user's notes are in the experiment, and a report cannot change them.
  '/src/views/user_notes/index.tsx': 'export const view = undefined;',
  '/src/views/timeline/note_marks.tsx': `export const NoteMarks = ${NOTHING};`,
  '/src/user_notes/store.ts': 'export const createUserNotes = () => undefined;',
  '/src/user_notes/actions.ts': 'export const noteActions = () => [];',
  '/src/user_notes/note_dialog.tsx': `export const NoteDialog = ${NOTHING};`,
  '/src/user_notes/note_list.tsx': [
    `export const FunctionNotes = ${NOTHING};`,
    `export const RangeNoteButton = ${NOTHING};`,
  ].join('\n'),
  '/src/share/share_dialog.tsx': `export const useShare = () => ({ commands: () => [], dialog: ${NOTHING} });`,
  '/src/views/home/time_breakdown.tsx': `export const TimeBreakdownSection = ${NOTHING};`,
  '/src/views/home/compared.tsx': `export const ComparedPage = ${NOTHING};`,
  '/src/compare/choose_sides.tsx': `export const CompareButton = ${NOTHING};`,
  '/src/compare/side_links.tsx': `export const SideLinks = ${NOTHING};`,
  '/src/compare/band.tsx': `export const ComparisonBand = ${NOTHING};`,
  '/src/compare/change_legend.tsx': `export const ChangeLegend = ${NOTHING};`,
  '/src/compare/compared_columns.tsx': [
    `export const ChangeBar = ${NOTHING};`,
    'export const comparedCells = () => [];',
    'export const comparedColumns = () => [];',
    'export const presenceMark = () => undefined;',
  ].join('\n'),
  // Notes are shown without a comparison, too.
  '/src/compare/words.ts': [
    'export const movedNotes = (notes) => ({ moved: [], others: notes });',
    'export const sidesOf = () => ({ baseline: 0, candidate: 0 });',
    'export const comparedMetricsOf = () => [];',
    'export const describeChanges = () => [];',
    "export const changeSentence = () => '';",
  ].join('\n'),
  '/src/compare/compared_metrics.tsx': `export const ComparedMetrics = ${NOTHING};`,
  '/src/compare/use_totals.ts': [
    'export const useTotals = () => () => undefined;',
    'export const useColumnTotals = () => () => undefined;',
  ].join('\n'),
  '/src/compare/use_comparison.ts': [
    "import { tableMetrics } from '../state/column_choice';",
    'export const comparisonOf = () => undefined;',
    'export const hasSides = () => false;',
    "export const changeBy = () => 'absolute';",
    `export const setChangeBy = ${NOTHING};`,
    'export const metricsShown = (app) => tableMetrics(app.state.columns, app.state.metric, app.experiment()?.metrics ?? []);',
    'export const sortShown = (app) => app.state.sort;',
  ].join('\n'),
  '/src/compare/moved.tsx': "export { Notes as ComparedNotes } from '../parts/parts';",
  '/src/views/syscalls/compared.ts': [
    'export const callColumns = () => [];',
    'export const callValues = () => ({});',
    'export const callSort = () => undefined;',
    'export const isCompared = () => false;',
    'export const isComparedRow = () => false;',
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
