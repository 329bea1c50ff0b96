// The switch between the two pictures of the timeline: the strips of threads, or the heat map of the whole run.
import { type Component, createEffect, type JSX, on, Show } from 'solid-js';
import { useApp } from '../../app';
import { Segments } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { HeatMap } from './heat_map';

type Picture = 'strips' | 'heat-map';

const PICTURES: readonly (readonly [Picture, string, string])[] = [
  ['strips', 'Strips', 'The states of each thread over time'],
  ['heat-map', 'Heat map', 'A metric over the whole run, a column for each second and a row for each part of a second'],
];

const usePicture = () => useOption<Picture>('timeline.picture', 'strips');

/** The control in the toolbar. */
export function PictureSwitch(): JSX.Element {
  const [picture, setPicture] = usePicture();
  return <Segments label="Picture" value={picture()} choices={PICTURES} onChange={setPicture} />;
}

/** The chosen picture. */
export function ChosenPicture(props: { readonly strips: Component }): JSX.Element {
  const app = useApp();
  const [picture] = usePicture();
  // The item under the pointer is gone.
  createEffect(on(picture, () => app.showDetails(null), { defer: true }));
  return (
    <Show when={picture() === 'heat-map'} fallback={<props.strips />}>
      <HeatMap controls={<PictureSwitch />} />
    </Show>
  );
}
