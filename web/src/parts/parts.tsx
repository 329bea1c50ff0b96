// Small pieces that views share: states of an answer, notes, names, pickers, buttons.
import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { useApp } from '../app';
import type { EngineError } from '../engine/answer';
import { nameParts, packageRoom, shortPackage } from '../format/names';
import { Words } from './words';
import './parts.css';

/**
 * Shows the content after an answer has arrived. Before that, it shows a progress bar. After an error, it shows the
 * error.
 */
export function Answered(props: {
  asked: { answer(): unknown; error(): EngineError | undefined; isLoading(): boolean };
  /** The heading until the content with its own heading is shown. */
  title?: string;
  children: JSX.Element;
}): JSX.Element {
  const heading = () => <Show when={props.title}>{(title) => <Toolbar title={title()} />}</Show>;
  return (
    <Switch fallback={props.children}>
      <Match when={props.asked.error()}>
        {(error) => (
          <>
            {heading()}
            <Failure error={error()} />
          </>
        )}
      </Match>
      <Match when={props.asked.answer() === undefined}>
        {heading()}
        <Loading />
      </Match>
    </Switch>
  );
}

export function Loading(): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="loading-bar" aria-hidden="true" />
      <span>Computing …</span>
    </div>
  );
}

export function Failure(props: { error: EngineError }): JSX.Element {
  const app = useApp();
  const isAboutFilter = () => props.error.kind === 'filter' && app.state.filter.length > 0;
  const isAboutTransform = () => props.error.kind === 'transform' && app.state.transforms.length > 0;
  return (
    <div class="failure" role="alert">
      <h2>{titleOf(props.error)}</h2>
      <p class="failure-text" classList={{ code: props.error.position !== null }}>
        {props.error.message}
      </p>
      <Show when={isAboutFilter()}>
        <button type="button" class="button" onClick={() => app.navigate({ filter: [] })}>
          Remove the filter
        </button>
      </Show>
      <Show when={isAboutTransform()}>
        <button type="button" class="button" onClick={() => app.navigate({ transforms: [] })}>
          Remove the transforms
        </button>
      </Show>
    </div>
  );
}

const TITLES: Record<string, string> = {
  filter: 'The filter cannot be applied',
  transform: 'A transform cannot be applied',
  function: 'Function not found in the shown samples',
  metric: 'Metric not found in the experiment',
  transport: 'No response',
  token: 'Access token missing',
};

function titleOf(error: EngineError): string {
  return TITLES[error.kind] ?? 'The view cannot be shown';
}

export function Notes(props: { notes: readonly string[] | undefined; isOpen?: boolean }): JSX.Element {
  return (
    <Show when={(props.notes?.length ?? 0) > 0}>
      <details class="notes" open={props.isOpen ?? false}>
        <summary>{props.notes?.length === 1 ? '1 note' : `${props.notes?.length} notes`}</summary>
        <ul>
          <For each={props.notes}>
            {(note) => (
              <li>
                <Words of={note} />
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  );
}

/** The row of controls above a view's content. */
export function Toolbar(props: { title: string; subtitle?: JSX.Element; children?: JSX.Element }): JSX.Element {
  return (
    <div class="toolbar">
      <div class="toolbar-title">
        <h1>{props.title}</h1>
        <Show when={props.subtitle}>
          <span class="toolbar-subtitle">{props.subtitle}</span>
        </Show>
      </div>
      <div class="toolbar-controls">{props.children}</div>
    </div>
  );
}

/** A control for one of a few choices. All choices are visible. */
export function Segments<Value extends string>(props: {
  label: string;
  value: Value;
  choices: readonly (readonly [value: Value, title: string, description?: string])[];
  onChange(value: Value): void;
}): JSX.Element {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      <For each={props.choices}>
        {([value, title, description]) => (
          <button type="button" title={description} aria-pressed={props.value === value} onClick={() => props.onChange(value)}>
            {title}
          </button>
        )}
      </For>
    </div>
  );
}

/** A control for one of many choices. */
export function Picker<Value extends string>(props: {
  label: string;
  isLabelHidden?: boolean;
  value: Value;
  choices: readonly (readonly [value: Value, title: string])[];
  onChange(value: Value): void;
}): JSX.Element {
  const choose = (text: string) => {
    const chosen = props.choices.find(([value]) => value === text);
    if (chosen) props.onChange(chosen[0]);
  };
  return (
    <label class="picker">
      <span class="picker-label" classList={{ 'off-screen': props.isLabelHidden ?? false }}>
        {props.label}
      </span>
      <select aria-label={props.label} value={props.value} onChange={(event) => choose(event.currentTarget.value)}>
        <For each={props.choices}>
          {([value, title]) => (
            <option value={value} selected={value === props.value}>
              {title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/**
 * A function's name: the package is paler and shortened, the method's name is complete. `room`: the width in pixels that the
 * name must fit in. `packageLength`: letters of the package, if the width is unknown.
 */
export function FunctionName(props: { name: string; packageLength?: number; room?: number }): JSX.Element {
  const parts = () => nameParts(props.name);
  const most = () => (props.room === undefined ? (props.packageLength ?? 20) : packageRoom(parts(), props.room));
  return (
    <span class="function-name">
      <span class="name-package">{most() === 0 ? '' : shortPackage(parts().package, most())}</span>
      <span class="name-own">{parts().name}</span>
      <span class="name-signature">{parts().signature}</span>
    </span>
  );
}

/** A small square in the colour of the kind of code. */
export function KindMark(props: { kind: string }): JSX.Element {
  return <span class={`kind-mark kind-${props.kind}`} title={props.kind} aria-hidden="true" />;
}
