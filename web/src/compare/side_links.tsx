// Links from a view that cannot show a comparison to the same view of each compared experiment.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { runsOf, withoutSides } from './sides';
import './compare.css';

/** Without a comparison of open experiments, there is no link. */
export function SideLinks(): JSX.Element {
  const app = useApp();
  const runs = () => runsOf(app.experiments(), app.state.experiment);
  return (
    <Show when={runs().length > 0}>
      <p class="compare-side-links">
        <For each={runs()}>
          {(run) => (
            <a class="button" href={app.href({ experiment: run.experiment, filter: withoutSides(app.state.filter) })}>
              {run.side}: {run.name}
            </a>
          )}
        </For>
      </p>
    </Show>
  );
}
