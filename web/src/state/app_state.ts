// All that decides what the page shows. It is kept in the URL, so that a link, Back and a reload restore it.
import type { Mode } from '../engine/request';

export interface AppState {
  /** Name of a registered view. */
  view: string;
  /** Number of the experiment in the list of `whittle view`; 0 in a report file. */
  experiment: number;
  mode: Mode;
  /** The metric that the views with one metric show, such as `cpu`; null: the experiment's first. */
  metric: string | null;
  /** Columns of tables in the metric language; null: what follows from `metric`. */
  columns: string | null;
  /** Column that tables are sorted by, in the metric language, or `name`; null: the first. */
  sort: string | null;
  /** Parts of the filter, all of which must hold; each is a text of the filter language. */
  filter: readonly string[];
  /** Lines of the transform language, applied in this order. */
  transforms: readonly string[];
  /** The one selected function, by its displayed name. */
  selected: string | null;
  /** The centre of callers-callees, outermost frame first; empty: `<Total>`. */
  fragment: readonly string[];
  /** Where the flame graph is zoomed to: a node, or function numbers from the root outward; empty: all. */
  zoom: readonly number[];
  /** What is searched for in the view, a regular expression. */
  search: string;
  /** A view's own settings, by `view.setting`, for example `flame-graph.direction`. */
  options: Readonly<Record<string, string>>;
}

export const INITIAL: AppState = {
  view: 'home',
  experiment: 0,
  mode: 'user',
  metric: null,
  columns: null,
  sort: null,
  filter: [],
  transforms: [],
  selected: null,
  fragment: [],
  zoom: [],
  search: '',
  options: {},
};
