// The complete state of the page. The URL contains it, so a link, Back and a reload restore it.
import type { Mode } from '../engine/request';

export interface AppState {
  /** Name of a registered view. */
  view: string;
  /** Number of the experiment in the list of `whittle view`; 0 in a report file. */
  experiment: number;
  mode: Mode;
  /** The metric of views with one metric, such as `cpu`; null: the experiment's first metric. */
  metric: string | null;
  /** Columns of tables in the metric syntax; null: the default for `metric`. */
  columns: string | null;
  /** The sort of tables in the metric syntax, or `name`; null: the first column. */
  sort: string | null;
  /** Parts of the filter in the filter syntax. All of them must match. */
  filter: readonly string[];
  /** Lines in the transform syntax. They are applied in this order. */
  transforms: readonly string[];
  /** The one selected function, by its displayed name. */
  selected: string | null;
  /** The centre of callers-callees, the outermost frame first. Empty: `<Total>`. */
  fragment: readonly string[];
  /** The zoom of the flame graph: a node, or numbers of functions starting at the root. Empty: no zoom. */
  zoom: readonly number[];
  /** The search text of the view, a regular expression. */
  search: string;
  /** The text that the sender of a link wrote for its readers. Empty: there is no text. */
  note: string;
  /** Settings of views by `view.setting`, for example `flame-graph.direction`. */
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
  note: '',
  options: {},
};
