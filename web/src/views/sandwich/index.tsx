// The sandwich shows the callers of a function above it and its callees below it, over all its occurrences.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { useTotals } from '../../compare/use_totals';
import { NoneSelected } from '../../parts/none_selected';
import { Toolbar } from '../../parts/parts';
import { useStartFunction } from '../../parts/start_function';
import type { ViewDefinition } from '../../view';
import { Legend } from '../flame_graph';
import { FlamePanel } from '../flame_graph/flame_panel';
import './sandwich.css';

const ZOOM_UP = 'sandwich.callers';
const ZOOM_DOWN = 'sandwich.callees';

function Sandwich(): JSX.Element {
  const app = useApp();
  const totals = useTotals(app);
  const { name, isLoading } = useStartFunction();
  const zoomOf = (option: string) => (app.state.options[option] ?? '').split('.').filter(Boolean).map(Number);
  const zoom = (option: string, to: readonly number[]) => {
    app.navigate({ options: { ...app.state.options, [option]: to.join('.') } });
  };
  return (
    <Show when={name()} fallback={<NoneSelected title="Sandwich" what="its callers and callees" isLoading={isLoading()} />}>
      {(shown) => (
        <section class="sandwich">
          <Toolbar title="Sandwich" subtitle="all occurrences of the function" />
          <FlamePanel
            label={`Callers of ${shown()}`}
            direction="callers"
            root={shown()}
            zoom={zoomOf(ZOOM_UP)}
            search={app.state.search}
            totals={totals()}
            isRootLow
            onZoom={(to) => zoom(ZOOM_UP, to)}
            onZoomOut={() => zoom(ZOOM_UP, zoomOf(ZOOM_UP).slice(0, -1))}
          />
          <h2 class="sandwich-name">
            <span class="sandwich-hint">↑ callers</span>
            <span class="sandwich-function">{shown()}</span>
            <span class="sandwich-hint">callees ↓</span>
          </h2>
          <FlamePanel
            label={`Callees of ${shown()}`}
            direction="callees"
            root={shown()}
            zoom={zoomOf(ZOOM_DOWN)}
            search={app.state.search}
            totals={totals()}
            isRootLow={false}
            onZoom={(to) => zoom(ZOOM_DOWN, to)}
            onZoomOut={() => zoom(ZOOM_DOWN, [])}
            isExported
          />
          <Legend isSearching={app.state.search !== ''} />
        </section>
      )}
    </Show>
  );
}

export const view: ViewDefinition = {
  name: 'sandwich',
  title: 'Sandwich',
  question: 'What are the callers and callees of this function, over all its occurrences?',
  key: 'w',
  order: 60,
  group: 'code',
  component: Sandwich,
  showsSelected: true,
  keys: [
    ['↑ ↓ ← →', 'Go from box to box'],
    ['Enter', 'Zoom in'],
    ['Backspace', 'Zoom out'],
    ['m', 'Menu of the function'],
  ],
};
