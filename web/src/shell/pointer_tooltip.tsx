// The tooltip of the item under the pointer: the whole name, the package, the file and line, and the values. It opens when the
// pointer rests on a row or a box. Screen readers and keys use the strip, which has the same content.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { type Details, useApp } from '../app';
import { packageOf } from '../format/names';
import { placeWords } from '../format/places';
import { type Spot, tooltipPlace } from './tooltip_place';

/** How long the pointer rests. */
const REST_MS = 500;
/** Items with details. Their views report the item under the pointer. */
const ITEMS = '.table-row, .tree-body .tree-row, .flame-scroller canvas, .home-function';
const WIDTH_PX = 560;

export function PointerTooltip(): JSX.Element {
  const app = useApp();
  const [at, setAt] = createSignal<Spot | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = () => {
    clearTimeout(timer);
    setAt(null);
  };
  const onMove = (event: PointerEvent) => {
    hide();
    const isItem = event.target instanceof Element && event.target.closest(ITEMS) !== null;
    if (event.pointerType !== 'touch' && isItem && event.buttons === 0) {
      timer = setTimeout(() => setAt({ x: event.clientX, y: event.clientY }), REST_MS);
    }
  };
  const others = ['keydown', 'pointerdown', 'wheel', 'blur', 'focusin'] as const;
  window.addEventListener('pointermove', onMove);
  for (const name of others) window.addEventListener(name, hide, { capture: true });
  onCleanup(() => {
    hide();
    window.removeEventListener('pointermove', onMove);
    for (const name of others) window.removeEventListener(name, hide, { capture: true });
  });
  const details = () => {
    const shown = app.details();
    // Without values, these are the details of the selected function, not of the item under the pointer.
    return at() !== null && shown?.values ? shown : null;
  };
  return <Show when={details()}>{(shown) => <Tooltip of={shown()} at={at() ?? { x: 0, y: 0 }} />}</Show>;
}

function Tooltip(props: { of: Details; at: Spot }): JSX.Element {
  const app = useApp();
  const isFunction = () => /^[^<\s].*[.(:]/.test(props.of.name);
  const asked = app.ask(() => {
    const metric = app.metric()?.name;
    if (metric === undefined || !isFunction()) return null;
    return { ...app.query('function'), name: props.of.name, metrics: `i.${metric}` };
  });
  const place = () => {
    const first = asked.answer()?.functions[0];
    return first && placeWords({ file: first.source_file, line: first.first_line, loaded: first.load_object });
  };
  const spot = () => tooltipPlace(props.at, { width: window.innerWidth, height: window.innerHeight }, WIDTH_PX);
  return (
    <div
      class="pointer-tooltip"
      aria-hidden="true"
      style={{
        left: `${spot().left}px`,
        ...(spot().top === undefined ? { bottom: `${spot().bottom}px` } : { top: `${spot().top}px` }),
      }}
    >
      <p class="pointer-tooltip-name">{props.of.name}</p>
      <Show when={isFunction() && packageOf(props.of.name)}>{(found) => <p class="dim">Package {found()}</p>}</Show>
      <Show when={place()}>{(words) => <p class="dim">{words()}</p>}</Show>
      <dl>
        <For each={props.of.values ?? []}>
          {([title, value]) => (
            <div>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          )}
        </For>
      </dl>
      <p class="dim">{(props.of.facts ?? []).filter((fact) => fact !== '').join(' · ')}</p>
    </div>
  );
}
