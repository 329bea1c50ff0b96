// What the rows of the timeline are grouped by. Reports have no groups but pools.
import { For, type JSX } from 'solid-js';
import { type App, useApp } from '../../app';

export const GROUP = 'timeline.group';
const GROUPS = ['pool', 'process', 'state', 'package'];

export const groupBy = (app: App): string => app.state.options[GROUP] || 'pool';

export function GroupBy(props: { readonly onGroup: (name: string) => void }): JSX.Element {
  const app = useApp();
  return (
    <label>
      Group by{' '}
      <select value={groupBy(app)} onChange={(event) => props.onGroup(event.currentTarget.value)}>
        <For each={GROUPS}>{(name) => <option>{name}</option>}</For>
      </select>
    </label>
  );
}
