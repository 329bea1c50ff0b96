// What a view about one function says while none is selected.
import type { JSX } from 'solid-js';
import { useApp } from '../app';
import { Toolbar } from './parts';

export function NoneSelected(props: { title: string; what: string }): JSX.Element {
  const app = useApp();
  return (
    <>
      <Toolbar title={props.title} />
      <div class="none-selected">
        <p>No function is selected. Find one by its name (key <kbd>k</kbd>), or choose it in a table, to see {props.what}.</p>
        <p>
          <button type="button" class="button main" onClick={() => document.getElementById('find-function')?.focus()}>Find a function</button>{' '}
          <a class="button" href={app.href({ view: 'functions' })}>Table of functions</a>
        </p>
      </div>
    </>
  );
}
