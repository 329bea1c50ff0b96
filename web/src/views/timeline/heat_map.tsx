// The whole run at one glance. A click or a drag selects a time range for all views.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { HeatMapCanvas, type HeatPalette } from '../../canvas/heat_map_canvas';
import { cellStart, type HeatShape, NARROWEST_CELL, rangeOfCells } from '../../canvas/heat_map_layout';
import { percent, readable, timeOnAxis, withUnit } from '../../format/numbers';
import { timeInRun } from '../../format/times';
import { Failure, Notes, Toolbar } from '../../parts/parts';
import { appearance, token } from '../../theme/appearance';
import { HEAT_COLOURS } from '../../theme/heat_colours';
import './heat_map.css';

/** Parts of a column's time. With columns of a second, a row is two ticks of 10 ms. */
const ROWS = 50;

export function HeatMap(props: { readonly controls: JSX.Element }): JSX.Element {
  const app = useApp();
  const [width, setWidth] = createSignal(0);
  const columns = () => Math.max(Math.floor(width() / NARROWEST_CELL), 1);
  const asked = app.askBinary(() => {
    const metric = app.metric();
    if (width() === 0 || !metric) return null;
    return { ...app.query('heat-map'), metric: metric.name, columns: columns(), rows: ROWS };
  });
  const header = createMemo(() => asked.answer()?.header);
  const cells = () => asked.answer()?.arrays.cells ?? new Float64Array();
  const shape = createMemo<HeatShape>(() => {
    const { columns = 0, rows = ROWS, column_ns = 1e9 } = header() ?? {};
    return { columns, rows, columnNs: column_ns };
  });
  const palette = createMemo<HeatPalette>(() => ({
    background: token('--paper'),
    nothing: token('--paper-2'),
    steps: HEAT_COLOURS[appearance()],
    range: token('--accent'),
    cursor: token('--ink'),
  }));

  const time = (ns: number) => timeInRun(ns, shape().columnNs / shape().rows);
  const duration = (ns: number) => readable(ns, 'nanoseconds');
  /** All marks of an axis have the same unit and digits. A step of 1.2 s needs more digits than `timeOnAxis` gives it. */
  const mark = (ns: number, stepNs: number) => (stepNs < 1e9 || stepNs % 1e9 === 0 ? timeOnAxis(ns, stepNs) : duration(ns));
  const amountOf = (cell: number) => withUnit(cells()[cell] ?? 0, header()?.unit ?? 'count');
  const timesOf = (cell: number) => {
    const { fromNs, toNs } = rangeOfCells(cell, cell, shape());
    return `${time(fromNs)} to ${time(toNs)}`;
  };
  const describe = (cell: number) => `${timesOf(cell)}: ${amountOf(cell)} ${header()?.title ?? ''}`;
  const point = (cell: number | undefined): void => {
    const { title = '', total = 0 } = header() ?? {};
    if (cell === undefined || cell >= cells().length) app.showDetails(null);
    else {
      const share = total > 0 ? [['Share of the run', percent((cells()[cell] ?? 0) / total)] as const] : [];
      app.showDetails({
        name: timesOf(cell),
        values: [[title, amountOf(cell)], ...share],
      });
    }
  };
  app.offerExport({
    request: () => ({ ...app.query('heat-map'), metric: app.metric()?.name ?? null, columns: 120, rows: 20 }),
  });

  const range = createMemo(() => {
    const selected = app.timeRange();
    return selected ? { fromNs: selected.from_ns, toNs: selected.to_ns } : undefined;
  });

  return (
    <section class="timeline-view">
      <Toolbar title="Timeline">
        {props.controls}
        <Show when={range()}>
          {(range) => (
            <>
              <span>
                {time(range().fromNs)} to {time(range().toNs)} selected
              </span>
              <button type="button" onClick={() => app.setTimeRange(null)}>
                Clear
              </button>
            </>
          )}
        </Show>
        <Scale most={withUnit(header()?.most ?? 0, header()?.unit ?? 'count')} title={header()?.title ?? ''} />
      </Toolbar>
      <Show when={asked.error()}>{(error) => <Failure error={error()} />}</Show>
      <HeatMapCanvas
        label={`Heat map of ${header()?.title ?? ''}. A column is ${duration(shape().columnNs)}, a row is ${duration(cellStart(1, shape()))}. Arrow keys move. Shift and arrow keys select a time range. Enter applies the range to all views`}
        shape={shape()}
        cells={cells()}
        most={header()?.most ?? 0}
        palette={palette()}
        range={range()}
        describe={describe}
        formatTime={mark}
        onWidth={setWidth}
        onPoint={point}
        onRange={(range) => app.setTimeRange(range ? { from_ns: range.fromNs, to_ns: range.toNs } : null)}
      />
      <Notes notes={header()?.notes} />
    </section>
  );
}

/** The legend: the colours from nothing to the most. */
function Scale(props: { readonly most: string; readonly title: string }): JSX.Element {
  return (
    <div class="heat-scale" role="img" aria-label={`Colours from nothing to ${props.most} ${props.title} in a cell`}>
      <span>0</span>
      <span class="heat-step heat-nothing" />
      <For each={HEAT_COLOURS[appearance()]}>{(colour) => <span class="heat-step" style={{ background: colour }} />}</For>
      <span>
        {props.most} {props.title} in a cell
      </span>
    </div>
  );
}
