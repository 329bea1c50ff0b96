import { describe, expect, test } from 'vitest';
import { type Answer, EngineError, errorOf } from './answer';
import type { Engine } from './engine';
import { Queue } from './queue';
import type { Request } from './request';
import { Slot, SUPERSEDED } from './slot';

/** An engine that answers on demand and remembers cancelled requests. */
class SlowEngine implements Engine {
  readonly kind = 'server';
  readonly asked: { view: string; answer(value: unknown): void; fail(error: Error): void; signal: AbortSignal | undefined }[] =
    [];

  ask(_experiment: number, request: Request, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.asked.push({ view: request.view, answer: (value) => resolve({ kind: 'json', value }), fail: reject, signal });
    });
  }

  experiments(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

describe('a slot', () => {
  test('gives the answer to the newest request, in whatever order answers come', async () => {
    const [engine, slot] = [new SlowEngine(), new Slot()];
    const first = slot.ask(engine, 0, { view: 'first' });
    const second = slot.ask(engine, 0, { view: 'second' });
    engine.asked[1]?.answer(2);
    engine.asked[0]?.answer(1);
    expect(await first).toBe(SUPERSEDED);
    expect(await second).toEqual({ kind: 'json', value: 2 });
  });

  test('cancels an older request', () => {
    const [engine, slot] = [new SlowEngine(), new Slot()];
    void slot.ask(engine, 0, { view: 'first' });
    expect(engine.asked[0]?.signal?.aborted).toBe(false);
    void slot.ask(engine, 0, { view: 'second' });
    expect(engine.asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  });

  test('drops the error of an older request, and reports the error of the newest', async () => {
    const [engine, slot] = [new SlowEngine(), new Slot()];
    const first = slot.ask(engine, 0, { view: 'first' });
    const second = slot.ask(engine, 0, { view: 'second' });
    engine.asked[0]?.fail(new DOMException('aborted', 'AbortError'));
    engine.asked[1]?.fail(new EngineError('no such thread', 'filter', 9));
    expect(await first).toBe(SUPERSEDED);
    await expect(second).rejects.toMatchObject({ message: 'no such thread', position: 9 });
  });

  test('gives no answer after it was cancelled', async () => {
    const [engine, slot] = [new SlowEngine(), new Slot()];
    const asked = slot.ask(engine, 0, { view: 'first' });
    slot.cancel();
    engine.asked[0]?.answer(1);
    expect(await asked).toBe(SUPERSEDED);
  });
});

describe('the queue before a worker', () => {
  test('runs one task at a time, in order', async () => {
    const running: string[] = [];
    const ends: (() => void)[] = [];
    const queue = new Queue<string, string>((task) => {
      running.push(task);
      return new Promise((resolve) => ends.push(() => resolve(task.toUpperCase())));
    });
    const answers = [queue.add('a'), queue.add('b')];
    expect(running).toEqual(['a']);
    ends[0]?.();
    expect(await answers[0]).toBe('A');
    await Promise.resolve();
    expect(running).toEqual(['a', 'b']);
    ends[1]?.();
    expect(await answers[1]).toBe('B');
  });

  test('never starts cancelled tasks, and continues after a failure', async () => {
    const running: string[] = [];
    let end: (() => void) | undefined;
    const queue = new Queue<string, string>((task) => {
      running.push(task);
      if (task === 'broken') return Promise.reject(new Error('broken'));
      return task === 'a' ? new Promise((resolve) => (end = () => resolve(task))) : Promise.resolve(task);
    });
    const controller = new AbortController();
    const first = queue.add('a');
    const given_up = queue.add('b', controller.signal);
    const failing = queue.add('broken');
    const last = queue.add('c');
    controller.abort();
    end?.();
    await first;
    await expect(given_up).rejects.toMatchObject({ name: 'AbortError' });
    await expect(failing).rejects.toThrow('broken');
    expect(await last).toBe('c');
    expect(running).toEqual(['a', 'broken', 'c']);
  });
});

test('errors are read from any JSON', () => {
  expect(errorOf({ error: { message: 'm', kind: 'filter', position: 3 } })).toMatchObject({
    message: 'm',
    kind: 'filter',
    position: 3,
  });
  expect(errorOf({ error: 'text' })).toMatchObject({ message: 'text', kind: 'request', position: null });
  expect(errorOf({ error: {} })?.message).toContain('without a message');
  expect([errorOf({}), errorOf(null), errorOf([1]), errorOf('error'), errorOf({ error: 3 })]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
