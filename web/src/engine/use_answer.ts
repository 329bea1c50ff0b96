// Ties a request to a view: when the request changes, it is asked anew; the previous answer stays visible meanwhile.
import { type Accessor, batch, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { type Answer, type BinaryAnswer, EngineError } from './answer';
import type { Engine } from './engine';
import type { Request } from './request';
import { SUPERSEDED, Slot } from './slot';

export interface Asked<Value> {
  /** The newest answer, or the one before it while `isLoading`. Undefined before the first and after an error. */
  answer: Accessor<Value | undefined>;
  error: Accessor<EngineError | undefined>;
  isLoading: Accessor<boolean>;
  /** The request that `answer` or `error` belongs to. */
  asked: Accessor<Request | undefined>;
}

export interface Source {
  engine: Pick<Engine, 'ask'>;
  experiment: Accessor<number>;
  /** Grows when a live experiment has grown; everything is asked anew then. */
  generation: Accessor<number>;
}

/** Asks for JSON of the shape `Value`. A request of null asks nothing. */
export function askJson<Value>(source: Source, request: () => Request | null): Asked<Value> {
  return ask(source, request, (answer) => (answer.kind === 'json' ? (answer.value as Value) : undefined));
}

/** Asks for typed arrays with a header of the shape `Header`. */
export function askBinary<Header>(source: Source, request: () => Request | null): Asked<BinaryAnswer<Header>> {
  return ask(source, request, (answer) => (answer.kind === 'binary' ? (answer as BinaryAnswer<Header>) : undefined));
}

function ask<Value>(
  source: Source,
  request: () => Request | null,
  take: (answer: Answer) => Value | undefined,
): Asked<Value> {
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

  // Asked again only if the text of the request differs: equal states give equal requests.
  const text = createMemo(() => JSON.stringify(request()));
  createEffect(
    on([source.experiment, source.generation, text], ([experiment, , newestText]) => {
      // A copy: parts of the state, which a request may hold, change with the state.
      const newest = JSON.parse(newestText) as Request | null;
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
  return new EngineError('the engine answered in an unexpected form', 'transport');
}

function asEngineError(failure: unknown): EngineError {
  if (failure instanceof EngineError) return failure;
  return new EngineError(failure instanceof Error ? failure.message : String(failure), 'transport');
}
