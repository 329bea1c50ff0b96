// The pictures of a verification as SVG: an interval with the neutral margin, and runs in time order. The text next to them says
// the same, so screen readers read the text and not the shapes.
import { For, type JSX, Show } from 'solid-js';
import type { Endpoint, Interval, Run } from '../../engine/verification';
import { quantity, ratioWords, wholePercent } from '../../format/compared';
import { pairsOf, placeOf, pointsOf, type RatioAxis, type RunPoint, ticksOf } from './pictures';

const WIDTH = 360;
const HEIGHT = 30;
const TICK_HEIGHT = 18;
const MIDDLE = HEIGHT / 2;
/** Share of the width that a text such as `−50 %` needs. */
const TICKS_APART = 0.13;

/** The interval of a ratio: a line with a dot. Changes within the grey margin are not relevant. */
export function IntervalPicture(props: {
  of: Interval;
  axis: RatioAxis;
  marginRatio: number;
  verdict?: { word: string };
  hasTicks?: boolean;
  coverage?: string;
}): JSX.Element {
  const x = (ratio: number) => placeOf(ratio, props.axis) * WIDTH;
  const hasInterval = () => props.of.low_ratio !== null && props.of.high_ratio !== null;
  return (
    <svg
      class="vf-picture"
      viewBox={`0 0 ${WIDTH} ${HEIGHT + (props.hasTicks ? TICK_HEIGHT : 0)}`}
      width={WIDTH}
      role="img"
      aria-label={intervalWords(props.of, props.coverage)}
    >
      <rect
        class="vf-margin"
        x={x(1 - props.marginRatio)}
        y="0"
        width={x(1 + props.marginRatio) - x(1 - props.marginRatio)}
        height={HEIGHT}
      />
      <line class="vf-none" x1={x(1)} x2={x(1)} y1="0" y2={HEIGHT} />
      <g class={`vf-interval ${props.verdict?.word ?? ''}`}>
        <Show when={hasInterval()}>
          <line x1={x(props.of.low_ratio ?? 1)} x2={x(props.of.high_ratio ?? 1)} y1={MIDDLE} y2={MIDDLE} />
          <For each={[props.of.low_ratio ?? 1, props.of.high_ratio ?? 1]}>
            {(end) => <line x1={x(end)} x2={x(end)} y1={MIDDLE - 5} y2={MIDDLE + 5} />}
          </For>
        </Show>
        <Show when={props.of.ratio !== null}>
          <circle cx={x(props.of.ratio ?? 1)} cy={MIDDLE} r="4.5" />
        </Show>
      </g>
      <Show when={props.hasTicks}>
        <For each={ticksOf(props.axis, TICKS_APART)}>
          {(tick) => (
            <text class="vf-tick" x={Math.max(16, Math.min(WIDTH - 16, x(tick)))} y={HEIGHT + 13} text-anchor="middle">
              {tickWords(tick)}
            </text>
          )}
        </For>
      </Show>
    </svg>
  );
}

function tickWords(ratio: number): string {
  if (ratio > 1 && ratio < 10) return `+${wholePercent(ratio - 1)}`;
  return ratio < 1 && ratio >= 0.01 ? `\u2212${wholePercent(1 - ratio)}` : ratioWords(ratio);
}

/** `−55 %, 95 % interval −60 % to −50 %` */
export function intervalWords({ ratio, low_ratio, high_ratio }: Interval, coverage = '95 %'): string {
  if (ratio === null) return 'no ratio: one side has no value';
  const change = ratioWords(ratio);
  return low_ratio === null || high_ratio === null
    ? change
    : `${change}, ${coverage} interval ${ratioWords(low_ratio)} to ${ratioWords(high_ratio)}`;
}

const RUNS_HEIGHT = 96;
const EDGE = 8;

/** Each run as a point. Circles are runs of the baseline, squares are runs of the candidate. A line connects the two
 * runs of a pair. */
export function RunsPicture(props: { of: Endpoint; runs: readonly Run[] }): JSX.Element {
  const drawn = () => pointsOf(props.of, props.runs);
  const x = (point: RunPoint) => point.x * WIDTH;
  const y = (point: RunPoint) => EDGE + point.y * (RUNS_HEIGHT - 2 * EDGE);
  const title = (point: RunPoint) => `${point.side}, run ${point.run + 1}: ${valueWords(point.value, props.of)}`;
  return (
    <svg
      class="vf-picture"
      viewBox={`0 0 ${WIDTH} ${RUNS_HEIGHT}`}
      width={WIDTH}
      role="img"
      aria-label={`Runs in time order, from 0 to ${valueWords(drawn().most, props.of)}`}
    >
      <line class="vf-none" x1="0" x2={WIDTH} y1={RUNS_HEIGHT - EDGE} y2={RUNS_HEIGHT - EDGE} />
      <For each={pairsOf(drawn().points)}>
        {([left, right]) => <line class="vf-pair" x1={x(left)} y1={y(left)} x2={x(right)} y2={y(right)} />}
      </For>
      <For each={drawn().points}>
        {(point) => (
          <Show
            when={point.side === 'baseline'}
            fallback={
              <rect class="vf-candidate" x={x(point) - 4} y={y(point) - 4} width="8" height="8">
                <title>{title(point)}</title>
              </rect>
            }
          >
            <circle class="vf-baseline" cx={x(point)} cy={y(point)} r="4">
              <title>{title(point)}</title>
            </circle>
          </Show>
        )}
      </For>
    </svg>
  );
}

/** A value with its unit. Costs are nanoseconds. The name of a printed metric contains its unit. */
export function valueWords(value: number | null, of: Pick<Endpoint, 'unit'>): string {
  if (value === null) return 'no value';
  return quantity(value, of.unit === 'ns' ? 'nanoseconds' : 'count');
}
