// A function's share over time, with a line for each version, host or other group. Periods without data have no line. The values
// of one period are next to the chart, so they cover nothing. The pointer and the arrow keys select the period.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { watchSize } from '../../canvas/sizes';
import { wholePercent } from '../../format/compared';
import { cores } from '../../format/cost';
import { grouped, percent } from '../../format/numbers';
import { lineColour } from '../../theme/colours';
import { partAt, timeMarks, valueScale } from './chart_scale';
import { type Flavour, gapsOf, ratioOf, runsOf, type ShareLines } from './share_lines';
import { markWords, momentWords } from './times';

const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;
/** With more periods, marks would touch. */
const MARKED_UP_TO = 60;

export function ShareChart(props: { label: string; of: ShareLines; flavour: Flavour }): JSX.Element {
  let place!: HTMLDivElement;
  const size = watchSize(() => place);
  const count = () => props.of.periods.length;
  const [chosen, setChosen] = createSignal<number | null>(null);
  /** The selected period. At first, the newest period with a value. */
  const at = () => {
    const newest = props.of.periods.findLastIndex((_, index) => props.of.lines.some(({ values }) => values[index] !== null));
    return Math.max(0, Math.min(count() - 1, chosen() ?? newest));
  };
  const values = createMemo(() => props.of.lines.map((line) => line.values.map((row) => ratioOf(row, props.flavour))));
  const scale = createMemo(() =>
    valueScale(
      values()
        .flat()
        .reduce<number>((most, value) => Math.max(most, value ?? 0), 0),
    ),
  );
  const width = () => Math.max(0, size().width - LEFT - RIGHT);
  const height = () => Math.max(0, size().height - TOP - BOTTOM);
  const middle = (index: number) => LEFT + ((index + 0.5) / Math.max(1, count())) * width();
  const edge = (index: number) => LEFT + (index / Math.max(1, count())) * width();
  const y = (value: number) => TOP + height() * (1 - value / scale().most);
  const whole = () => ({ from_s: props.of.periods[0]?.from_s ?? 0, to_s: props.of.periods.at(-1)?.to_s ?? 0 });
  const moment = (mark: number) => LEFT + ((mark - whole().from_s) / Math.max(1, whole().to_s - whole().from_s)) * width();
  const time = (index: number) => {
    const period = props.of.periods[index];
    return period ? `${momentWords(period.from_s)} to ${momentWords(period.to_s).slice(11)}` : '';
  };
  const words = () => {
    const parts = props.of.lines.map((line, index) => `${line.part} ${valueWords(values()[index]?.[at()] ?? null)}`);
    return `${time(at())} UTC: ${parts.join(', ')}`;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: at() + 1,
      ArrowLeft: at() - 1,
      ArrowUp: at() + 1,
      ArrowDown: at() - 1,
      PageUp: at() + 6,
      PageDown: at() - 6,
      Home: 0,
      End: count() - 1,
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    setChosen(Math.max(0, Math.min(count() - 1, step)));
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointer = (event: PointerEvent) =>
    setChosen(partAt(event.clientX - place.getBoundingClientRect().left - LEFT, width(), count()));
  return (
    <div class="fleet-chart">
      <div
        class="fleet-chart-place"
        ref={place}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count() - 1)}
        aria-valuenow={at()}
        aria-valuetext={words()}
        onKeyDown={onKeyDown}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setChosen(null)}
      >
        <svg width={size().width} height={size().height} aria-hidden="true">
          <defs>
            <pattern id="fleet-unseen" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line class="fleet-unseen" y1="0" y2="6" />
            </pattern>
          </defs>
          <For each={gapsOf(props.of)}>
            {([start, end]) => (
              <rect x={edge(start)} y={TOP} width={edge(end) - edge(start)} height={height()} fill="url(#fleet-unseen)" />
            )}
          </For>
          <For each={scale().marks}>
            {(mark) => (
              <>
                <line class="fleet-grid" x1={LEFT} x2={LEFT + width()} y1={y(mark)} y2={y(mark)} />
                <text class="fleet-mark" x={LEFT - 8} y={y(mark) + 4} text-anchor="end">
                  {wholePercent(mark)}
                </text>
              </>
            )}
          </For>
          <For each={timeMarks(whole(), width())}>
            {(mark) => (
              <>
                <line class="fleet-tick" x1={moment(mark)} x2={moment(mark)} y1={TOP + height()} y2={TOP + height() + 4} />
                <text
                  class="fleet-mark"
                  x={Math.max(LEFT + 8, Math.min(LEFT + width() - 14, moment(mark)))}
                  y={TOP + height() + 17}
                  text-anchor="middle"
                >
                  {markWords(mark)}
                </text>
              </>
            )}
          </For>
          <Show when={count() > 0}>
            <rect class="fleet-cursor" x={edge(at())} y={TOP} width={edge(at() + 1) - edge(at())} height={height()} />
          </Show>
          <For each={values()}>
            {(line, index) => (
              <g style={{ color: lineColour(index()) }}>
                <For each={runsOf(line)}>
                  {([start, end]) => (
                    <polyline
                      class="fleet-line"
                      points={line
                        .slice(start, end)
                        .map((value, offset) => `${middle(start + offset)},${y(value ?? 0)}`)
                        .join(' ')}
                    />
                  )}
                </For>
                <For each={line}>
                  {(value, period) => (
                    <Show when={value !== null && (count() <= MARKED_UP_TO || period() === at())}>
                      <Mark shape={index()} x={middle(period())} y={y(value ?? 0)} size={period() === at() ? 4.5 : 3} />
                    </Show>
                  )}
                </For>
              </g>
            )}
          </For>
        </svg>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the legend scrolls, so the keyboard must reach it. */}
      <div class="fleet-legend" role="group" tabIndex={0} aria-label="Values at the selected time">
        <div class="dim">{time(at())} UTC</div>
        <ul>
          <For each={props.of.lines}>
            {(line, index) => (
              <li>
                <svg width="14" height="14" aria-hidden="true" style={{ color: lineColour(index()) }}>
                  <Mark shape={index()} x={7} y={7} size={4.5} />
                </svg>
                <span class="fleet-name" title={line.part}>
                  {line.part}
                </span>
                <span class="fleet-legend-value">{valueWords(values()[index()]?.[at()] ?? null)}</span>
                <span class="fleet-legend-cores dim">{coresWords(line.values[at()]?.inclusive_cost?.cores)}</span>
              </li>
            )}
          </For>
        </ul>
        <Show when={props.of.part_count > props.of.lines.length}>
          <p class="dim">The table has {grouped(props.of.part_count - props.of.lines.length)} more.</p>
        </Show>
      </div>
    </div>
  );
}

function valueWords(value: number | null): string {
  return value === null ? 'no data' : percent(value);
}

function coresWords(value: number | undefined): string {
  return value === undefined ? '' : `${cores(value)} cores`;
}

/** Each line has its own mark, so that lines can be distinguished without colours. */
function Mark(props: { shape: number; x: number; y: number; size: number }): JSX.Element {
  const corners = (points: readonly (readonly [number, number])[]) =>
    points.map(([x, y]) => `${props.x + x * props.size},${props.y + y * props.size}`).join(' ');
  const isHollow = () => props.shape % 8 >= 4;
  const shapes = [
    () => <circle cx={props.x} cy={props.y} r={props.size} />,
    () => (
      <polygon
        points={corners([
          [-0.9, -0.9],
          [0.9, -0.9],
          [0.9, 0.9],
          [-0.9, 0.9],
        ])}
      />
    ),
    () => (
      <polygon
        points={corners([
          [0, -1.15],
          [1.1, 0.8],
          [-1.1, 0.8],
        ])}
      />
    ),
    () => (
      <polygon
        points={corners([
          [0, -1.25],
          [1.25, 0],
          [0, 1.25],
          [-1.25, 0],
        ])}
      />
    ),
  ];
  return (
    <g class="fleet-dot" classList={{ hollow: isHollow() }}>
      {shapes[props.shape % shapes.length]?.()}
    </g>
  );
}
