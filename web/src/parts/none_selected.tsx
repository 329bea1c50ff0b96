// The content of a view about one function while no function is selected.
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { Loading, Toolbar } from './parts';

export function NoneSelected(props: { title: string; what: string; isLoading: boolean }): JSX.Element {
  const app = useApp();
  return (
    <>
      <Toolbar title={props.title} />
      <Show when={!props.isLoading} fallback={<Loading />}>
        <div class="none-selected">
          <p>
            No function is selected. Find a function by its name (key <kbd>k</kbd>) or select one in a table to see {props.what}.
          </p>
          <p>
            <button type="button" class="button main" onClick={() => document.getElementById('find-function')?.focus()}>
              Find a function
            </button>{' '}
            <a class="button" href={app.href({ view: 'functions' })}>
              Table of functions
            </a>
          </p>
        </div>
      </Show>
    </>
  );
}
