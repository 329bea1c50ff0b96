// The frame around every view: top bar, navigation, chips, the view, the details strip.
import { For, Show, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { AppContext } from '../app';
import { VIEWS, viewNamed } from '../views/registry';
import type { Frame } from './create_app';

export function Shell(props: { frame: Frame }): JSX.Element {
  const { app } = props.frame;
  const view = () => viewNamed(app.state.view);
  return (
    <AppContext.Provider value={app}>
      <header class="top"><strong>whittle</strong></header>
      <nav class="side" aria-label="Views">
        <For each={VIEWS.filter((each) => each.group !== 'hidden')}>
          {(each) => (
            <a href={app.href({ view: each.name })} aria-current={app.state.view === each.name ? 'page' : undefined}>
              {each.title}
            </a>
          )}
        </For>
      </nav>
      <main class="view" id="view">
        <Show when={view()} fallback={<p>There is no view of this name.</p>}>
          {(shown) => <Dynamic component={shown().component} />}
        </Show>
      </main>
      <footer class="strip" aria-label="Details">{app.details()?.name}</footer>
    </AppContext.Provider>
  );
}
