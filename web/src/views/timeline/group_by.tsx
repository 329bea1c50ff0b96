// What the rows of the timeline are grouped by. Reports have no groups but pools.
import { For, type JSX, Show } from 'solid-js';
import { type App, useApp } from '../../app';
import type { TimelineHeader } from '../../engine/answers';

export const GROUP = 'timeline.group';
const GROUPS = ['pool', 'process', 'state', 'package', 'none'];

export const groupBy = (app: App): string => app.state.options[GROUP] || 'pool';

interface GroupByProps {
  readonly header: Pick<TimelineHeader, 'threads'> | undefined;
  readonly onGroup: (name: string) => void;
}

export function GroupBy(props: GroupByProps): JSX.Element {
  const app = useApp();
  return (
    <>
      <label>
        Group by{' '}
        <select value={groupBy(app)} onChange={(event) => props.onGroup(event.currentTarget.value)}>
          <For each={GROUPS}>{(name) => <option>{name}</option>}</For>
        </select>
      </label>
      <Show when={groupBy(app) === 'process' && hasUngrouped(props.header)}>
        <span role="status">All threads are of one process</span>
      </Show>
    </>
  );
}

/** Whether a row is in no group. With groups, only the row of idle threads is in no group. */
export const hasUngrouped = (header: GroupByProps['header']): boolean =>
  header?.threads.some((row) => row.depth === 0 && !row.is_group && !row.is_idle_row) ?? false;
