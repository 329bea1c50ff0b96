// The menu of a function, with the actions for it. While it is open, a letter selects an action.
import { For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { type MenuPlace, useApp } from '../app';
import { FUNCTION_ACTIONS, type FunctionAction, type FunctionTarget } from '../parts/function_actions';
import { noteActions } from '../user_notes/actions';

export interface MenuTarget extends FunctionTarget {
  place: MenuPlace;
}

const WIDTH = 288;
const HEIGHT = 478;

export function FunctionMenu(props: { target: MenuTarget; onClose(): void }): JSX.Element {
  const app = useApp();
  const before = document.activeElement;
  const actions = [...FUNCTION_ACTIONS, ...noteActions(app)].filter((action) => action.fits?.(props.target) ?? true);
  let menu!: HTMLDivElement;

  const close = () => {
    props.onClose();
    if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
  };
  const run = (action: FunctionAction) => {
    close();
    action.run(app, props.target);
  };
  const items = () => [...menu.querySelectorAll<HTMLButtonElement>('button')];
  const move = (step: number) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const action = actions.find(({ key }) => key === event.key);
    if (action) run(action);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Home') items()[0]?.focus();
    else if (event.key === 'End') items().at(-1)?.focus();
    else return;
    event.preventDefault();
  };
  const onPointerDown = (event: PointerEvent) => {
    if (!menu.contains(event.target as Node)) props.onClose();
  };
  onMount(() => {
    items()[0]?.focus();
    document.addEventListener('pointerdown', onPointerDown);
    onCleanup(() => document.removeEventListener('pointerdown', onPointerDown));
  });

  return (
    <div
      class="menu"
      role="menu"
      ref={menu}
      aria-label={`Actions for ${props.target.name}`}
      style={{
        left: `${Math.max(8, Math.min(props.target.place.x, window.innerWidth - WIDTH - 8))}px`,
        top: `${Math.max(8, Math.min(props.target.place.y, window.innerHeight - HEIGHT - 8))}px`,
      }}
      onKeyDown={onKeyDown}
    >
      <div class="menu-title" role="presentation">
        {props.target.name}
      </div>
      <For each={['show', 'change', 'copy', 'note'] as const}>
        {(group) => (
          <Show when={actions.some((action) => action.group === group)}>
            <div class="menu-group" role="group">
              <For each={actions.filter((action) => action.group === group)}>
                {(action) => (
                  <button type="button" role="menuitem" tabIndex={-1} aria-keyshortcuts={action.key} onClick={() => run(action)}>
                    <span>{action.title}</span>
                    <kbd aria-hidden="true">{action.key}</kbd>
                  </button>
                )}
              </For>
            </div>
          </Show>
        )}
      </For>
    </div>
  );
}
