// The open experiments, and live collection: select a running program, start, watch, stop.
import { createResource, createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { useApp } from '../../app';
import { EngineError } from '../../engine/answer';
import { HttpEngine } from '../../engine/http';
import { type Collection, type CollectionOptions, LiveCollection, type Processes } from '../../engine/live';
import { grouped, percent, readable } from '../../format/numbers';
import { Failure, Toolbar } from '../../parts/parts';
import type { ViewDefinition } from '../../view';
import './experiments.css';

const POLL_MS = 1000;

function Experiments(): JSX.Element {
  const app = useApp();
  void app.reloadExperiments();
  return (
    <>
      <Toolbar title="Experiments" />
      <div class="ex-page">
        <section>
          <h2>Open experiments</h2>
          <ul class="ex-list">
            <For each={app.experiments()}>
              {(each, index) => (
                <li classList={{ 'ex-present': app.state.experiment === index() }}>
                  <div>
                    <strong>{each.name}</strong>
                    <div class="dim">
                      {each.path || 'in this file'}
                      {each.state === 'complete' ? '' : ` · ${each.state}`}
                    </div>
                  </div>
                  <Show when={app.state.experiment !== index()} fallback={<span class="dim">shown</span>}>
                    <button
                      type="button"
                      class="button"
                      onClick={() =>
                        app.navigate({
                          view: 'home',
                          experiment: index(),
                          fragment: [],
                          selected: null,
                          filter: [],
                          transforms: [],
                        })
                      }
                    >
                      Show
                    </button>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </section>
        <Show when={!app.hasFleet()}>
          <Show
            when={app.engine instanceof HttpEngine ? app.engine : undefined}
            fallback={
              <p class="dim">
                A report file cannot collect. To collect, run <code>whittle view</code> on the machine of the program.
              </p>
            }
          >
            {(engine) => <Live live={new LiveCollection(engine())} onChange={() => void app.reloadExperiments()} />}
          </Show>
        </Show>
      </div>
    </>
  );
}

function Live(props: { live: LiveCollection; onChange(): void }): JSX.Element {
  const app = useApp();
  const [all, setAll] = createSignal(false);
  const [processes, { refetch }] = createResource(
    () => ({ isAll: all() }),
    ({ isAll }) => props.live.processes(isAll).catch(asError),
  );
  // A store keeps the element of a row while the row's values change. The buttons in the row keep the focus.
  const [collections, setCollections] = createStore<Collection[]>([]);
  const [options, setOptions] = createSignal<CollectionOptions>({});
  const [failure, setFailure] = createSignal<EngineError | null>(null);
  const poll = async () => {
    try {
      const newest = await props.live.status();
      const opened = (list: readonly Collection[]) => list.filter((each) => each.experiment !== null).length;
      if (opened(newest) !== opened(collections)) props.onChange();
      setCollections(reconcile([...newest], { key: 'id' }));
      setFailure((before) => (before?.kind === 'transport' ? null : before));
    } catch (error) {
      // The collections that are already known stay on the screen.
      setFailure(asError(error));
    }
  };
  const timer = setInterval(() => void poll(), POLL_MS);
  void poll();
  onCleanup(() => clearInterval(timer));
  const act = async (action: () => Promise<unknown>, said: string) => {
    setFailure(null);
    try {
      await action();
      app.say(said);
      await poll();
      props.onChange();
    } catch (error) {
      setFailure(asError(error));
    }
  };
  const found = () => processes();
  const list = (): Processes | undefined => {
    const answer = found();
    return answer instanceof EngineError ? undefined : answer;
  };
  const refused = () => {
    const answer = found();
    return answer instanceof EngineError ? answer : undefined;
  };
  return (
    <>
      <Show when={collections.length > 0}>
        <section>
          <h2>Collections</h2>
          <ul class="ex-list">
            <For each={collections}>
              {(each) => (
                <CollectionRow
                  of={each}
                  onStop={() => void act(() => props.live.stop(each.id), 'Stopping')}
                  onOpen={(experiment) =>
                    app.navigate({ view: 'home', experiment, fragment: [], selected: null, filter: [], transforms: [] })
                  }
                />
              )}
            </For>
          </ul>
        </section>
      </Show>
      <section>
        <div class="ex-head">
          <h2>Collect a running program</h2>
          <label class="ex-all">
            <input type="checkbox" checked={all()} onChange={(event) => setAll(event.currentTarget.checked)} /> other processes
            too
          </label>
          <button type="button" class="button small" onClick={() => void refetch()}>
            Refresh
          </button>
        </div>
        <Show when={failure()}>{(error) => <Failure error={error()} />}</Show>
        <Show when={refused()}>{(error) => <p class="dim">{error().message}</p>}</Show>
        <Show when={list()}>
          {(answer) => (
            <>
              <p class="dim">Experiments are written to {answer().directory}.</p>
              <Options value={options()} onChange={setOptions} />
              <ul class="ex-list">
                <For each={answer().processes} fallback={<li class="dim">No JVM is running.</li>}>
                  {(each) => (
                    <li>
                      <div class="ex-process">
                        <strong>{each.name}</strong>
                        <span class="dim">
                          {' '}
                          {each.process_id} · {each.user} · {each.jdk ? `JDK ${each.jdk}` : each.kind} · up{' '}
                          {readable(each.uptime_ns, 'nanoseconds')}
                        </span>
                        <code class="ex-command">{each.command}</code>
                        <Show when={each.obstacle}>{(why) => <div class="ex-obstacle">{why()}</div>}</Show>
                      </div>
                      <button
                        type="button"
                        class="button"
                        disabled={each.obstacle !== null}
                        aria-label={`Collect ${each.name}, process ${each.process_id}`}
                        onClick={() => void act(() => props.live.start(each.process_id, options()), `Collecting ${each.name}`)}
                      >
                        Collect
                      </button>
                    </li>
                  )}
                </For>
              </ul>
            </>
          )}
        </Show>
      </section>
    </>
  );
}

/** The fields of the options, with their title, hint and type. */
const FIELDS: readonly (readonly [field: keyof CollectionOptions, title: string, hint: string, isNumber: boolean])[] = [
  ['duration_s', 'Duration, s', 'until stopped', true],
  ['interval_ms', 'Interval, ms', 'default', true],
  ['events', 'Events', 'all, or off_cpu,alloc=512k', false],
  ['name', 'Name', 'live-MAIN-TIME', false],
  ['comment', 'Comment', '', false],
];

function Options(props: { value: CollectionOptions; onChange(options: CollectionOptions): void }): JSX.Element {
  const set = (field: keyof CollectionOptions, text: string, isNumber: boolean) => {
    const { [field]: _, ...others } = props.value;
    const value = isNumber ? Number(text) : text.trim();
    props.onChange(text.trim() === '' ? others : { ...others, [field]: value });
  };
  return (
    <details class="ex-options">
      <summary>Options</summary>
      <div>
        <For each={FIELDS}>
          {([field, title, hint, isNumber]) => (
            <label>
              <span>{title}</span>
              <input
                type={isNumber ? 'number' : 'text'}
                min="1"
                placeholder={hint}
                onInput={(event) => set(field, event.currentTarget.value, isNumber)}
              />
            </label>
          )}
        </For>
      </div>
    </details>
  );
}

function CollectionRow(props: { of: Collection; onStop(): void; onOpen(experiment: number): void }): JSX.Element {
  const isActive = () => ['starting', 'running', 'stopping'].includes(props.of.state);
  return (
    <li>
      <div class="ex-process">
        <strong>{props.of.name}</strong>{' '}
        <span class="ex-state" classList={{ 'ex-active': isActive(), 'ex-failed': props.of.state === 'failed' }}>
          {props.of.state}
        </span>
        <div>
          {readable(props.of.elapsed_ns, 'nanoseconds')} · {grouped(props.of.sample_count)} samples
          <Show when={props.of.closure_ratio !== null}> · {percent(props.of.closure_ratio ?? 0)} of the CPU time explained</Show>
        </div>
        <div class="dim">{props.of.path}</div>
        <Show when={props.of.error}>{(error) => <div class="ex-obstacle">{error()}</div>}</Show>
        <Show when={props.of.log.length > 0}>
          <details>
            <summary class="dim">Log</summary>
            <pre class="ex-log">{props.of.log.join('\n')}</pre>
          </details>
        </Show>
      </div>
      <div class="ex-buttons">
        <Show when={props.of.state === 'starting' || props.of.state === 'running'}>
          <button type="button" class="button" onClick={() => props.onStop()}>
            Stop
          </button>
        </Show>
        <Show when={props.of.experiment !== null}>
          <button type="button" class="button main" onClick={() => props.onOpen(props.of.experiment ?? 0)}>
            {isActive() ? 'Watch' : 'Open'}
          </button>
        </Show>
      </div>
    </li>
  );
}

function asError(error: unknown): EngineError {
  return error instanceof EngineError ? error : new EngineError(String(error), 'transport');
}

export const view: ViewDefinition = {
  name: 'experiments',
  title: 'Experiments',
  question: 'Which experiments are open? Collect a running program.',
  key: 'e',
  order: 110,
  group: 'system',
  component: Experiments,
  worksWithout: true,
};
