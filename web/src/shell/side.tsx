// The navigation: all views, in groups. If the experiment has no data for a view, its link says why.
import { createEffect, For, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { entering, isOffered, type ViewDefinition } from '../view';
import { VIEWS } from '../views/registry';

const GROUPS: readonly (readonly [ViewDefinition['group'], string])[] = [
  ['start', ''],
  ['code', 'Code'],
  ['time', 'Time'],
  ['system', 'System'],
];

export function Side(): JSX.Element {
  const app = useApp();
  return (
    <nav class="side" aria-label="Views">
      <For each={GROUPS}>
        {([group, title]) => (
          <div class="side-group">
            <Show when={title}>
              <div class="side-title">{title}</div>
            </Show>
            <For each={VIEWS.filter((view) => view.group === group && isOffered(view, app))}>
              {(view) => <ViewLink view={view} />}
            </For>
          </div>
        )}
      </For>
    </nav>
  );
}

function ViewLink(props: { view: ViewDefinition }): JSX.Element {
  const app = useApp();
  const missing = () => {
    const experiment = app.experiment();
    if (app.hasFleet() && app.experiments().length === 0 && !props.view.worksWithout) return 'No fleet data is open yet';
    return experiment && props.view.missing?.(experiment);
  };
  const isCurrent = () => app.state.view === props.view.name;
  let link!: HTMLAnchorElement;
  // On a phone, the links are one line that scrolls.
  createEffect(() => isCurrent() && link.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  return (
    <a
      ref={link}
      href={app.href(entering(props.view, app.state))}
      class="side-link"
      classList={{ missing: missing() !== undefined }}
      aria-current={isCurrent() ? 'page' : undefined}
      title={missing() ?? props.view.question}
    >
      <span>{props.view.title}</span>
      <kbd aria-hidden="true">g {props.view.key}</kbd>
    </a>
  );
}
