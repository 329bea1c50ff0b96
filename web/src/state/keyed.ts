// An object with reactive keys. A reader of a key runs again only if the value of this key has changed, and a reader that
// lists the keys only if keys were added or removed. Equal lists are the same value, so they keep their identity.
import { batch, createSignal, type Signal } from 'solid-js';
import { isSame } from './same';

/** The object, which can be read, listed and spread, and a function that replaces all values. */
export function createKeyed<T extends object>(initial: T): [keyed: T, replace: (next: T) => void] {
  let values = initial;
  const signals = new Map<PropertyKey, Signal<unknown>>();
  const [keys, setKeys] = createSignal(Reflect.ownKeys(initial), { equals: isSame });
  const read = (key: PropertyKey) => {
    let signal = signals.get(key);
    if (!signal) {
      signal = createSignal<unknown>(Reflect.get(values, key), { equals: isSame });
      signals.set(key, signal);
    }
    return signal[0]();
  };
  const keyed = new Proxy({} as T, {
    get: (_, key) => read(key),
    ownKeys: keys,
    // Who lists or spreads an object asks whether the keys are enumerable. A getter does not read the value for this.
    getOwnPropertyDescriptor: (_, key) => ({ enumerable: true, configurable: true, get: () => read(key) }),
  });
  const replace = (next: T) =>
    batch(() => {
      values = next;
      setKeys(Reflect.ownKeys(next));
      for (const [key, [, set]] of signals) set(() => Reflect.get(next, key));
    });
  return [keyed, replace];
}
