// The controls above the timeline: the search for threads, their order, a time to go to, the selected range, and the legend, which hides states.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { TimeRange } from '../../canvas/time_axis';
import type { TimelineHeader } from '../../engine/answers';
import { readable } from '../../format/numbers';
import { FindNames } from '../../parts/find_names';
import { Toolbar } from '../../parts/parts';
import { appearance } from '../../theme/appearance';
import { STATE_COLOURS } from '../../theme/colours';
import { RangeNoteButton } from '../../user_notes/note_list';
import { GroupBy } from './group_by';
import { PictureSwitch } from './picture_switch';
import type { ShownRange } from './shown_range';
import { titleOf } from './strips';
import { TimeField } from './time_field';

const SORTS = [
  ['cpu', 'CPU time'],
  ['blocked', 'blocked time'],
  ['start', 'start time'],
  ['name', 'name'],
] as const;

export function TimelineToolbar(props: {
  readonly header: TimelineHeader | undefined;
  readonly named: string;
  readonly onNamed: (text: string) => void;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onGroup: (name: string) => void;
  readonly selected: TimeRange | undefined;
  readonly shown: ShownRange;
  /** Called with a time that the user typed. */
  readonly onTime: (timeNs: number) => void;
  readonly onTimeField: (field: HTMLInputElement) => void;
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (state: string) => void;
}): JSX.Element {
  const app = useApp();
  return (
    <Toolbar title="Timeline">
      <PictureSwitch />
      <FindNames what="thread" named={props.named} rowCount={props.header?.row_count} onNamed={props.onNamed} />
      <label>
        Sort threads by{' '}
        <select value={props.sort} onChange={(event) => props.onSort(event.currentTarget.value)}>
          <For each={SORTS}>{([name, title]) => <option value={name}>{title}</option>}</For>
        </select>
      </label>
      <GroupBy header={props.header} onGroup={props.onGroup} />
      <TimeField wholeNs={props.shown.wholeNs()} onTime={props.onTime} onField={props.onTimeField} />
      <Show when={props.selected}>
        {(range) => (
          <>
            <span>
              {readable(range().fromNs, 'nanoseconds')} to {readable(range().toNs, 'nanoseconds')} selected
            </span>
            <button type="button" onClick={() => props.shown.show(range())}>
              Zoom to the range
            </button>
            <RangeNoteButton range={range()} />
            <button type="button" onClick={() => app.setTimeRange(null)}>
              Clear
            </button>
          </>
        )}
      </Show>
      <Show when={!props.shown.isWhole()}>
        <button type="button" onClick={() => props.shown.show({ fromNs: 0, toNs: props.shown.wholeNs() })}>
          Show the whole timeline
        </button>
      </Show>
      <Legend states={props.header?.states ?? []} hidden={props.hidden} onHide={props.onHide} />
    </Toolbar>
  );
}

/** The colours of the states. Each is a button that hides or shows its state. */
export function Legend(props: {
  readonly states: readonly { readonly name: string }[];
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (state: string) => void;
}): JSX.Element {
  return (
    <ul class="legend" aria-label="States. Press a state to hide or show it">
      <For each={props.states}>
        {(state) => (
          <li>
            <button
              type="button"
              class="legend-button"
              aria-pressed={!props.hidden.has(state.name)}
              onClick={() => props.onHide(state.name)}
            >
              <span class="legend-colour" style={{ background: STATE_COLOURS[state.name]?.[appearance()] ?? 'var(--line)' }} />
              {titleOf(state.name)}
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}
