// Ties a request to a view. When the request changes, it is sent again; the previous answer stays visible until then.
import { type Accessor, batch, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { type Answer, type BinaryAnswer, EngineError, typed } from './answer';
import type { Engine } from './engine';
import type { Request } from './request';
import { Slot, SUPERSEDED } from './slot';

export interface Asked<Value> {
  /** The newest answer, or the previous one while `isLoading`. Undefined before the first answer and after an error. */
  answer: Accessor<Value | undefined>;
  error: Accessor<EngineError | undefined>;
  isLoading: Accessor<boolean>;
  /** The request that led to `answer` or `error`. */
  asked: Accessor<Request | undefined>;
}

export interface Source {
  engine: Pick<Engine, 'ask'>;
  experiment: Accessor<number>;
  /** Increases when a live experiment has new data. Then all requests are sent again. */
  generation: Accessor<number>;
}

/**
 * Requests JSON. Null sends no request. Only this function and `askBinary` give answers their types; the caller takes
 * the type from the request's `view`.
 */
export function askJson<Value>(source: Source, request: () => Request | null): Asked<Value> {
  return ask(source, request, (answer) => (answer.kind === 'json' ? typed<Value>(answer.value) : undefined));
}

/** Requests a header with typed arrays. */
export function askBinary<Value extends BinaryAnswer<unknown, unknown>>(
  source: Source,
  request: () => Request | null,
): Asked<Value> {
  return ask(source, request, (answer) => (answer.kind === 'binary' ? typed<Value>(answer) : undefined));
}

function ask<Value>(source: Source, request: () => Request | null, take: (answer: Answer) => Value | undefined): Asked<Value> {
  const [answer, setAnswer] = createSignal<Value | undefined>(undefined, { equals: false });
  const [error, setError] = createSignal<EngineError | undefined>();
  const [isLoading, setLoading] = createSignal(false);
  const [asked, setAsked] = createSignal<Request | undefined>();
  const slot = new Slot();

  const settle = (of: Request | undefined, value: Value | undefined, failure: EngineError | undefined) => {
    batch(() => {
      setAsked(() => of);
      setAnswer(() => value);
      setError(failure);
      setLoading(false);
    });
  };
  const start = async (experiment: number, newest: Request) => {
    setLoading(true);
    try {
      const result = await slot.ask(source.engine, experiment, newest);
      if (result === SUPERSEDED) return;
      const value = take(result);
      settle(newest, value, value === undefined ? unexpected() : undefined);
    } catch (failure) {
      settle(newest, undefined, asEngineError(failure));
    }
  };

  // The request is sent again only if its text differs, because equal states give equal requests.
  const text = createMemo(() => JSON.stringify(request()));
  createEffect(
    on([source.experiment, source.generation, text], ([experiment, , newestText]) => {
      // This is a copy, because the request may contain parts of the state, which can change.
      const newest: Request | null = JSON.parse(newestText);
      if (newest) {
        void start(experiment, newest);
      } else {
        slot.cancel();
        settle(undefined, undefined, undefined);
      }
    }),
  );
  onCleanup(() => slot.cancel());
  return { answer, error, isLoading, asked };
}

function unexpected(): EngineError {
  return new EngineError('the answer of the engine has an unexpected form', 'transport');
}

function asEngineError(failure: unknown): EngineError {
  if (failure instanceof EngineError) return failure;
  return new EngineError(failure instanceof Error ? failure.message : String(failure), 'transport');
}
