// Small pieces that views share: states of an answer, notes, names, pickers, buttons.
import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { useApp } from '../app';
import type { EngineError } from '../engine/answer';
import { nameParts, shortPackage } from '../format/names';
import './parts.css';

/** Shows the content once there is an answer; before that, that it is being computed; or why there is none. */
export function Answered(props: {
  asked: { answer(): unknown; error(): EngineError | undefined; isLoading(): boolean };
  /** The heading while there is no content that has one. */
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
      <p class="failure-text" classList={{ code: props.error.position !== null }}>{props.error.message}</p>
      <Show when={isAboutFilter()}>
        <button type="button" class="button" onClick={() => app.navigate({ filter: [] })}>Remove the filter</button>
      </Show>
      <Show when={isAboutTransform()}>
        <button type="button" class="button" onClick={() => app.navigate({ transforms: [] })}>Remove the transforms</button>
      </Show>
    </div>
  );
}

const TITLES: Record<string, string> = {
  filter: 'The filter cannot be applied',
  transform: 'A transform cannot be applied',
  function: 'This function is not in what is shown',
  metric: 'This metric is not in the experiment',
  transport: 'There is no answer',
  token: 'This page may not ask',
};

function titleOf(error: EngineError): string {
  return TITLES[error.kind] ?? 'This cannot be shown';
}

export function Notes(props: { notes: readonly string[] | undefined }): JSX.Element {
  return (
    <Show when={(props.notes?.length ?? 0) > 0}>
      <details class="notes">
        <summary>{props.notes?.length === 1 ? '1 note' : `${props.notes?.length} notes`}</summary>
        <ul>
          <For each={props.notes}>{(note) => <li>{note}</li>}</For>
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

/** One of a few choices, all of them visible. */
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

/** One of many choices. */
export function Picker(props: {
  label: string;
  isLabelHidden?: boolean;
  value: string;
  choices: readonly (readonly [value: string, title: string])[];
  onChange(value: string): void;
}): JSX.Element {
  return (
    <label class="picker">
      <span class="picker-label" classList={{ 'off-screen': props.isLabelHidden ?? false }}>{props.label}</span>
      <select aria-label={props.label} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
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

/** A function's name: the package toned down and shortened, the name itself whole. */
export function FunctionName(props: { name: string; packageLength?: number }): JSX.Element {
  const parts = () => nameParts(props.name);
  return (
    <span class="function-name">
      <span class="name-package">{shortPackage(parts().package, props.packageLength ?? 20)}</span>
      <span class="name-own">{parts().name}</span>
      <span class="name-signature">{parts().signature}</span>
    </span>
  );
}

/** A small square in the colour of the kind of code. */
export function KindMark(props: { kind: string }): JSX.Element {
  return <span class={`kind-mark kind-${props.kind}`} title={props.kind} aria-hidden="true" />;
}
