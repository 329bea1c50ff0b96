// The line below a table that names the columns that do not fit.
import { type JSX, Show } from 'solid-js';
import type { TableSpace } from './table_space';

/** Names the columns that do not fit, and shows them on request. */
export function HiddenColumns(props: { titles: readonly string[]; space: TableSpace }): JSX.Element {
  return (
    <Show when={props.titles.length > 0 || props.space.isAll()}>
      <p class="table-hidden">
        <Show
          when={props.space.isAll()}
          fallback={
            <>
              <span title={props.titles.join(', ')}>
                {props.titles.length === 1 ? '1 column does' : `${props.titles.length} columns do`} not fit:{' '}
                {props.titles.join(', ')}
              </span>
              <button type="button" class="link" onClick={() => props.space.setAll(true)}>
                Show all columns
              </button>
            </>
          }
        >
          <span>All columns are shown. Scroll to the right to see them.</span>
          <button type="button" class="link" onClick={() => props.space.setAll(false)}>
            Hide what does not fit
          </button>
        </Show>
      </p>
    </Show>
  );
}
