// The picture of the first screen: whose code used the CPU time, and what the threads waited for.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { OverviewView } from '../../engine/answers';
import { type BreakdownBar, breakdownBars } from './breakdown_bars';
import './time_breakdown.css';

export function TimeBreakdownSection(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  const hasOffCpu = () => app.experiment()?.metrics.some(({ name }) => name === 'off_cpu') ?? false;
  const bars = () => {
    const { time_breakdown } = props.of;
    return time_breakdown ? breakdownBars(time_breakdown, app.state, hasOffCpu()) : [];
  };
  return (
    <Show when={bars().length > 0}>
      <section class="card breakdown" aria-label="Time breakdown">
        <div class="card-head">
          <h2>Time breakdown</h2>
          <a class="link" href={app.href({ view: 'timeline' })}>
            Timeline
          </a>
        </div>
        <div class="breakdown-bars">
          <For each={bars()}>{(bar) => <Bar of={bar} />}</For>
        </div>
      </section>
    </Show>
  );
}

/** The legend has the same parts as links and text, so the bar itself is hidden from the keyboard and screen readers. */
function Bar(props: { of: BreakdownBar }): JSX.Element {
  const app = useApp();
  return (
    <div class="breakdown-bar">
      <h3>{props.of.title}</h3>
      <div class="breakdown-parts" aria-hidden="true">
        <For each={props.of.parts}>
          {(part) => (
            <a
              href={app.href(part.change)}
              tabIndex={-1}
              title={`${part.title}: ${part.value}`}
              style={{ 'flex-grow': part.ratio, background: part.colour }}
            >
              <span class="off-screen">{part.title}</span>
            </a>
          )}
        </For>
      </div>
      <ul class="breakdown-legend" aria-label={props.of.title}>
        <For each={props.of.parts}>
          {(part) => (
            <li>
              <a class="link" href={app.href(part.change)}>
                <i style={{ background: part.colour }} />
                {part.title}
              </a>{' '}
              <span class="breakdown-value">{part.value}</span>
            </li>
          )}
        </For>
      </ul>
      <p class="dim">{props.of.whole}</p>
    </div>
  );
}
