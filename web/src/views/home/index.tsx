// The overview: what was collected, the data quality, the time breakdown, and suggestions.

import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { comparisonOf } from '../../compare/use_comparison';
import type { ComparisonView, OverviewView } from '../../engine/answers';
import { columnValue } from '../../format/columns';
import { counted, grouped, mean, meanOfTransfers, percent, readable, roughPercent } from '../../format/numbers';
import { setCentre } from '../../parts/function_actions';
import { Answered, FunctionName, KindMark, Notes } from '../../parts/parts';
import { Words } from '../../parts/words';
import type { StateChange } from '../../state/change';
import { STATE_COLOURS, stateColour } from '../../theme/colours';
import type { ViewDefinition } from '../../view';
import { ComparedPage } from './compared';
import { FindingsSection } from './findings';
import { rankingMetric, totalOf } from './overview';
import { programOf } from './program';
import { Stops } from './stops';
import { exclusiveShare, suggestionsFor } from './suggestions';
import { TimeBreakdownSection } from './time_breakdown';
import './home.css';

const TOP_FUNCTIONS = 8;

function Home(): JSX.Element {
  const app = useApp();
  const request = () => ({ ...app.query('overview'), limit: TOP_FUNCTIONS });
  const asked = app.ask(request);
  app.offerExport({ request });
  const single = () => {
    const answer = asked.answer();
    return answer && isComparison(answer) ? undefined : answer;
  };
  const compared = () => {
    const answer = asked.answer();
    return answer && isComparison(answer) ? answer : undefined;
  };
  return (
    <Answered asked={asked} title="Overview">
      <Show when={single()}>{(answer) => <Page of={answer()} />}</Show>
      <Show when={compared()}>
        {(answer) => (
          <Show when={comparisonOf(app)}>{(comparison) => <ComparedPage of={answer()} comparison={comparison()} />}</Show>
        )}
      </Show>
    </Answered>
  );
}

function isComparison(answer: OverviewView | ComparisonView): answer is ComparisonView {
  return 'moved' in answer;
}

function Page(props: { of: OverviewView }): JSX.Element {
  return (
    <div class="home">
      <Head of={props.of} />
      <TimeBreakdownSection of={props.of} />
      <FindingsSection />
      <div class="home-grid">
        <div class="home-column">
          <Suggestions of={props.of} />
          <TopFunctions of={props.of} />
          <Calls of={props.of} />
        </div>
        <div class="home-column">
          <Spent of={props.of} />
          <Quality of={props.of} />
        </div>
      </div>
      <Notes notes={props.of.notes} />
    </div>
  );
}

function Head(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  const facts = () => {
    const { host, jvm, processes, threads_count, seen_threads_count } = props.of;
    const sampled = threads_count === seen_threads_count ? '' : `${grouped(threads_count)} of `;
    const inProcesses = processes?.length ? ` of ${counted(processes.length, 'process', 'processes')}` : '';
    return [
      props.of.duration_ns > 0 && readable(props.of.duration_ns, 'nanoseconds'),
      props.of.start_wall_ns !== null && new Date(props.of.start_wall_ns / 1e6).toLocaleString(),
      jvm?.name && `${jvm.name} ${jvm.version}`,
      host?.name && `${host.name}, ${host.cpu_count} CPUs, Linux ${host.kernel}`,
      `${counted(props.of.samples_count, 'sample')} in ${sampled}${counted(seen_threads_count, 'thread')}${inProcesses}`,
    ].filter((fact): fact is string => typeof fact === 'string' && fact !== '');
  };
  return (
    <header class="home-head">
      <h1>{programOf(props.of.command) ?? app.experiments()[app.state.experiment]?.name ?? 'Experiment'}</h1>
      <code class="home-command" title={props.of.command.join(' ')}>
        {props.of.command.join(' ')}
      </code>
      <ul class="home-facts">
        <For each={facts()}>{(fact) => <li>{fact}</li>}</For>
        <Show when={props.of.state !== 'complete'}>
          <li class="home-incomplete">{props.of.state}: the collection is still running or ended early</li>
        </Show>
      </ul>
      <Stops of={props.of} />
      <Show when={app.experiment()?.comment}>
        {(comment) => (
          <p class="home-comment">
            <Words of={comment()} />
          </p>
        )}
      </Show>
    </header>
  );
}

function Card(props: {
  title: string;
  link?: readonly [title: string, change: StateChange];
  children: JSX.Element;
}): JSX.Element {
  const app = useApp();
  return (
    <section class="card">
      <div class="card-head">
        <h2>{props.title}</h2>
        <Show when={props.link}>
          {(link) => (
            <a class="link" href={app.href(link()[1])}>
              {link()[0]}
            </a>
          )}
        </Show>
      </div>
      {props.children}
    </section>
  );
}

function Suggestions(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  const found = () => suggestionsFor(props.of);
  return (
    <Card title="Suggestions">
      <ol class="home-suggestions">
        <For each={found()} fallback={<li>No rule of this page applies. Start with the table of functions.</li>}>
          {(each) => (
            <li>
              <div>
                <h3>{each.title}</h3>
                <p>{each.because}</p>
              </div>
              <a class="button" href={app.href(each.change)}>
                {each.button}
              </a>
            </li>
          )}
        </For>
      </ol>
    </Card>
  );
}

function TopFunctions(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  return (
    <Card
      title={`Top functions by exclusive ${rankingMetric(props.of)?.title ?? 'cost'}`}
      link={['All functions', { view: 'functions' }]}
    >
      <table class="home-table">
        <tbody>
          <For each={props.of.top_functions}>
            {(row) => (
              <tr>
                <td class="home-number">{percent(exclusiveShare(row) ?? 0)}</td>
                <td class="home-bar">
                  <span style={{ width: `${(exclusiveShare(row) ?? 0) * 100}%` }} />
                </td>
                <td class="home-name">
                  <button
                    type="button"
                    class="link home-function"
                    onClick={() => setCentre(app, row.function)}
                    onContextMenu={(event) => {
                      event.preventDefault();
                      app.openFunctionMenu(row.function, { x: event.clientX, y: event.clientY }, row);
                    }}
                    onMouseEnter={() => app.showDetails({ name: row.function, facts: [row.kind] })}
                    onMouseLeave={() => app.showDetails(null)}
                  >
                    <KindMark kind={row.kind} />
                    <FunctionName name={row.function} packageLength={16} />
                  </button>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </Card>
  );
}

function Spent(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  const cpu = () => totalOf(props.of, 'cpu') ?? 0;
  const parts = () =>
    [
      ['user', totalOf(props.of, 'user_cpu') ?? 0],
      ['system', totalOf(props.of, 'system_cpu') ?? 0],
    ] as const;
  // Parts of other metrics do not have their own row.
  const wholes = () => app.experiment()?.metrics.filter((metric) => !metric.is_part) ?? [];
  const others = () => props.of.columns.filter((column) => wholes().some(({ name }) => name === column.metric));
  return (
    <Card title="Totals" link={['Timeline', { view: 'timeline' }]}>
      <Show when={totalOf(props.of, 'system_cpu') !== undefined && cpu() > 0}>
        <div
          class="home-split"
          role="img"
          aria-label={parts()
            .map(([state, ns]) => `${STATE_COLOURS[state]?.title}: ${roughPercent(ns / cpu())}`)
            .join(', ')}
        >
          <For each={parts()}>
            {([state, ns]) => <span style={{ width: `${(ns / cpu()) * 100}%`, background: stateColour(state) }} />}
          </For>
        </div>
        <p class="home-legend">
          <For each={parts()}>
            {([state, ns]) => (
              <span>
                <i style={{ background: stateColour(state) }} />
                {STATE_COLOURS[state]?.title} {readable(ns, 'nanoseconds')} ({roughPercent(ns / cpu())})
              </span>
            )}
          </For>
        </p>
      </Show>
      <Show when={props.of.why_no_system_cpu}>{(why) => <p class="dim">{why()}</p>}</Show>
      <p class="dim">From samples, with the warm-up and idle threads:</p>
      <dl class="home-totals">
        <For each={others()}>
          {(column) => (
            <div>
              <dt>
                <a class="link" href={app.href({ view: 'functions', metric: column.metric, columns: null, sort: null })}>
                  {column.title}
                </a>
              </dt>
              <dd>{readable(columnValue(props.of.totals, column), column.unit)}</dd>
            </div>
          )}
        </For>
      </dl>
      <Waits of={props.of} />
    </Card>
  );
}

function Waits(props: { of: OverviewView }): JSX.Element {
  const app = useApp();
  const reasons = () => props.of.blocked_by_reason.filter(({ duration_ns }) => duration_ns > 1e6).slice(0, 4);
  return (
    <Show when={reasons().length > 0}>
      <p class="home-waits">
        Blocked time of all threads, counted by the kernel:{' '}
        <For each={reasons()}>
          {({ reason, duration_ns }, index) => (
            <>
              {index() > 0 ? ', ' : ''}
              {STATE_COLOURS[reason]?.title ?? reason.replaceAll('_', ' ')} {readable(duration_ns, 'nanoseconds')}
            </>
          )}
        </For>
        <Show when={props.of.run_queue_ns}>{(queue) => <>; waiting for a CPU {readable(queue(), 'nanoseconds')}</>}</Show>.{' '}
        <a class="link" href={app.href({ view: 'threads' })}>
          Threads
        </a>
      </p>
    </Show>
  );
}

const GOOD_CLOSURE = 0.95;

function Quality(props: { of: OverviewView }): JSX.Element {
  const used = () =>
    props.of.collectors
      .filter((each) => each.status === 'used')
      .map((each) => (each.engine ? `${each.name}, engine ${each.engine}` : each.name));
  return (
    <Card title="Data quality">
      <Show when={props.of.closure_ratio !== null} fallback={<p>Closure unknown: only the samples counted the CPU time.</p>}>
        <p class="home-closure">
          <strong classList={{ good: (props.of.closure_ratio ?? 0) >= GOOD_CLOSURE }}>
            {percent(props.of.closure_ratio ?? 0)}
          </strong>
          <span>
            {' '}
            of the {readable(props.of.closure?.exact_cpu_ns ?? 0, 'nanoseconds')} of CPU time that the scheduler counted is
            explained by samples with a complete stack.
          </span>
        </p>
      </Show>
      <OwnCost of={props.of} />
      <Show when={props.of.losses.length > 0}>
        <ul class="home-losses">
          <For each={props.of.losses}>
            {(loss) => (
              <li>
                {grouped(loss.count)} × {loss.description}
                <Show when={loss.cpu_ns}>
                  {(cpu_ns) => <span class="dim"> {readable(cpu_ns(), 'nanoseconds')} of CPU time</span>}
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <p class="dim">
        {used().join('; ')}
        <Show when={props.of.jvm?.has_exact_lines === false}>
          . Lines of compiled code are not exact: the JVM ran without -XX:+DebugNonSafepoints
        </Show>
      </p>
      <Show when={props.of.not_counted.length > 0}>
        <details class="home-more">
          <summary>Not counted</summary>
          <ul>
            <For each={props.of.not_counted}>{(each) => <li>{each}</li>}</For>
          </ul>
        </details>
      </Show>
    </Card>
  );
}

/** What the measurement itself costs. Its BPF programs run on the program's threads, so they are among its functions. */
function OwnCost(props: { of: OverviewView }): JSX.Element {
  const exact = () => props.of.closure?.exact_cpu_ns ?? 0;
  const spent = (ns: number) => `${readable(ns, 'nanoseconds')} (${percent(ns / exact())})`;
  return (
    <Show when={exact() > 0}>
      <Show when={props.of.whittle_cpu_ns}>
        {(ns) => (
          <p>
            {spent(ns())} of this CPU time is the cost of whittle's own BPF programs: the function &lt;whittle BPF programs&gt; in
            machine mode.
          </p>
        )}
      </Show>
      <Show when={props.of.stack_cost}>
        {(cost) => (
          <p>{spent(cost().cpu_ns)} of this CPU time is the cost of the profiler's signal handlers, which take the stacks.</p>
        )}
      </Show>
    </Show>
  );
}

function Calls(props: { of: OverviewView }): JSX.Element {
  return (
    <Show when={props.of.syscalls}>
      {(calls) => (
        <Card title="System calls" link={['All system calls', { view: 'syscalls' }]}>
          <p>
            {grouped(calls().calls_count)} calls
            <Show when={calls().calls_per_second !== null}>, {grouped(calls().calls_per_second ?? 0)} per second</Show>
            <Show when={calls().bytes_per_call !== null}>, {meanOfTransfers(calls().bytes_per_call ?? 0)}</Show>.
          </p>
          <table class="home-table home-calls">
            <thead>
              <tr>
                <th scope="col">Call</th>
                <th scope="col">Time</th>
                <th scope="col">Calls</th>
                <th scope="col">Calls/s</th>
                <th scope="col">Bytes/call</th>
              </tr>
            </thead>
            <tbody>
              <For each={calls().top_by_time.slice(0, 5)}>
                {(call) => (
                  <tr>
                    <th scope="row">{call.call}</th>
                    <td>{readable(call.duration_ns, 'nanoseconds')}</td>
                    <td>{grouped(call.calls_count)}</td>
                    <td>{call.calls_per_second === null ? '–' : grouped(call.calls_per_second)}</td>
                    <td>{call.bytes_per_call === null ? '–' : mean(call.bytes_per_call)}</td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </Card>
      )}
    </Show>
  );
}

export const view: ViewDefinition = {
  name: 'home',
  title: 'Overview',
  question: 'What was collected, how good is the data, and where was the time spent?',
  key: 'o',
  order: 10,
  group: 'start',
  component: Home,
};
