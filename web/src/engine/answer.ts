// An answer of the engine: JSON, or a header with typed arrays.

export type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

export interface BinaryAnswer<Header = Record<string, unknown>, Arrays = Record<string, TypedArray>> {
  kind: 'binary';
  header: Header;
  /** Typed arrays in the answer's buffer, by their names in the header. */
  arrays: Arrays;
}

export interface JsonAnswer<Value = unknown> {
  kind: 'json';
  value: Value;
}

export type Answer = JsonAnswer | BinaryAnswer;

/**
 * Gives received data its type, without a check. This is safe, because page and program are built and delivered
 * together, and `answers.ts` is generated from the program's types. The types of the other interfaces (fleet, live
 * collection, verification) are written by hand, in the form of the program's JSON.
 */
export function typed<Value>(received: unknown): Value {
  return received as Value;
}

export type ErrorKind = 'filter' | 'transform' | 'function' | 'metric' | 'request' | 'transport' | string;

/** An error of the engine or of the transport. `position` is the number of characters before the wrong character. */
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

/** Reads `{"error": {...}}`; undefined if the value is not an error. */
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
