// What the engine answers: JSON, or a header with typed arrays.

export type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

export interface BinaryAnswer<Header = Record<string, unknown>> {
  kind: 'binary';
  header: Header;
  /** Views of the answer's own buffer, by the names in the header. */
  arrays: Record<string, TypedArray>;
}

export interface JsonAnswer<Value = unknown> {
  kind: 'json';
  value: Value;
}

export type Answer = JsonAnswer | BinaryAnswer;

export type ErrorKind = 'filter' | 'transform' | 'function' | 'metric' | 'request' | 'transport' | string;

/** An error that the engine or the way to it reports; `position` counts the characters before the wrong one. */
export class EngineError extends Error {
  constructor(
    message: string,
    readonly kind: ErrorKind,
    readonly position: number | null = null,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** Reads `{"error": {...}}`; undefined if this is no error. */
export function errorOf(value: unknown): EngineError | undefined {
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  const error = value.error;
  if (typeof error === 'string') return new EngineError(error, 'request');
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, kind, position } = error as Record<string, unknown>;
  return new EngineError(
    typeof message === 'string' ? message : 'the engine reported an error without a message',
    typeof kind === 'string' ? kind : 'request',
    typeof position === 'number' ? position : null,
  );
}
