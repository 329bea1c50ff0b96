// The top bar: experiment, mode and metric; search, back and forward, export, appearance, help.
import { For, type JSX, Show } from 'solid-js';
import { type Export, useApp } from '../app';
import { CompareButton } from '../compare/choose_sides';
import { comparisonOf } from '../compare/use_comparison';
import type { Mode } from '../engine/request';
import { readable } from '../format/numbers';
import { Picker, Segments } from '../parts/parts';
import { appearance, toggleAppearance } from '../theme/appearance';
import { viewNamed } from '../views/registry';
import { ExportMenu } from './exports';
import { FindFunction } from './find_function';

const MODES: readonly (readonly [Mode, string, string])[] = [
  ['user', 'User', 'Java methods as in the source, and native libraries of the program'],
  ['expert', 'Expert', 'Also native frames below Java, and threads without Java'],
  ['machine', 'Machine', 'All frames, including those of the JVM and the kernel'],
];

export function TopBar(props: { offer: Export; onHelp(): void }): JSX.Element {
  const app = useApp();
  const metrics = () =>
    (app.experiment()?.metrics ?? []).map(
      (metric) =>
        [metric.name, comparisonOf(app) ? metric.title : `${metric.title} · ${readable(metric.total, metric.unit)}`] as const,
    );
  /** Whether the settings in the bar apply to the shown view. They apply only to views of one experiment. */
  const isOfExperiment = () => !viewNamed(app.state.view)?.needsFleet;
  return (
    <header class="top">
      <a
        class="brand"
        href={app.href({ view: app.hasFleet() ? 'fleet' : 'home' })}
        aria-label={app.hasFleet() ? 'whittle, fleet' : 'whittle, overview'}
      >
        <Mark />
        <span>whittle</span>
      </a>
      <Show when={isOfExperiment() && app.experiments().length > 1}>
        <Picker
          label="Experiment"
          isLabelHidden
          value={String(app.state.experiment)}
          choices={app.experiments().map((each, index) => [String(index), each.name] as const)}
          onChange={(number) => app.navigate({ experiment: Number(number) })}
        />
      </Show>
      <Show when={isOfExperiment()}>
        <CompareButton />
      </Show>
      <Segments
        label="Mode: which frames are shown"
        value={app.state.mode}
        choices={MODES}
        onChange={(mode) => app.navigate({ mode })}
      />
      <Show when={isOfExperiment() && metrics().length > 0}>
        <Picker
          label="Metric"
          value={app.metric()?.name ?? ''}
          choices={metrics()}
          onChange={(metric) => app.navigate({ metric, columns: null, sort: null })}
        />
      </Show>
      <span class="spring" />
      <Show when={isOfExperiment()}>
        <FindFunction />
      </Show>
      <div class="top-buttons">
        <button
          type="button"
          class="button quiet icon"
          aria-label="Back (undo)"
          title="Back (undo): ["
          onClick={() => history.back()}
        >
          <Arrow direction="left" />
        </button>
        <button type="button" class="button quiet icon" aria-label="Forward" title="Forward: ]" onClick={() => history.forward()}>
          <Arrow direction="right" />
        </button>
        <ExportMenu offer={props.offer} />
        <button
          type="button"
          class="button quiet icon"
          aria-label={appearance() === 'dark' ? 'Light appearance' : 'Dark appearance'}
          title={appearance() === 'dark' ? 'Light' : 'Dark'}
          onClick={toggleAppearance}
        >
          <HalfMoon />
        </button>
        <button type="button" class="button quiet icon" aria-label="Help" title="Help: ?" onClick={() => props.onHelp()}>
          ?
        </button>
      </div>
    </header>
  );
}

/** The logo: shavings of a whittled stack, as three bars. Each is shorter than the bar below. */
function Mark(): JSX.Element {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <For
        each={
          [
            [1, 13, 16],
            [3, 8, 11],
            [5, 3, 5],
          ] as const
        }
      >
        {([x, y, width], index) => <rect class={`mark-${index()}`} x={x} y={y} width={width} height="4" rx="1" />}
      </For>
    </svg>
  );
}

function Arrow(props: { direction: 'left' | 'right' }): JSX.Element {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={props.direction === 'left' ? 'M9.5 3.5 5 8l4.5 4.5' : 'M6.5 3.5 11 8l-4.5 4.5'} />
    </svg>
  );
}

function HalfMoon(): JSX.Element {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.4" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
    </svg>
  );
}
