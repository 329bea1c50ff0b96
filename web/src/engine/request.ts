// What the engine is asked: the keys that all views share, and those of each view.

export type Mode = 'user' | 'expert' | 'machine';

/** The keys that every view understands. A missing key means the view's default. */
export interface CommonRequest {
  view: string;
  mode?: Mode;
  /** Text of the filter language. */
  filter?: string | null;
  /** One line of the transform language each, applied in this order. */
  transforms?: readonly string[];
  /** Columns in the metric language, as `e.cpu,i.cpu%`. */
  metrics?: string | null;
  sort?: string | null;
  limit?: number | null;
  skip?: number;
}

/** A request of any view; `experiment` is taken out by the transport, it is no key of the engine's. */
export type Request = CommonRequest & { [key: string]: unknown };
