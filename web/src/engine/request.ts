// Requests to the engine: the keys that all views share, and those of each view. The types of answers by the request's
// `view`.
import type { Answers, ViewMode } from './answers';
import type { BinaryAnswers } from './pictures';

export type Mode = ViewMode;

export type ViewName = keyof Answers;

/** The answers without arrays, by the request's `view`. */
export type JsonAnswers = Omit<Answers, keyof BinaryAnswers>;

/** The keys that every view understands. A missing key means the view's default. */
export interface CommonRequest<View extends string = string> {
  view: View;
  mode?: Mode;
  /** A filter in the filter syntax. */
  filter?: string | null;
  /** Lines in the transform syntax, applied in this order. */
  transforms?: readonly string[];
  /** Columns in the metric syntax, such as `e.cpu,i.cpu%`. */
  metrics?: string | null;
  sort?: string | null;
  limit?: number | null;
  skip?: number;
}

/** A request of any view. It does not name the experiment: the transport adds the experiment's number. */
export type Request<View extends string = string> = CommonRequest<View> & { [key: string]: unknown };
