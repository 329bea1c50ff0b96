// Details of one function.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import { ComparedMetrics } from '../../compare/compared_metrics';
import { comparisonOf } from '../../compare/use_comparison';
import type { FunctionDetailsView, FunctionFields, Values } from '../../engine/answers';
import { cellOf, columnValue } from '../../format/columns';
import { grouped, readable } from '../../format/numbers';
import { FUNCTION_ACTIONS } from '../../parts/function_actions';
import { NoneSelected } from '../../parts/none_selected';
import { Answered, KindMark, Notes, Toolbar } from '../../parts/parts';
import { useStartFunction } from '../../parts/start_function';
import { FunctionNotes } from '../../user_notes/note_list';
import type { ViewDefinition } from '../../view';
import './function.css';

function FunctionView(): JSX.Element {
  const app = useApp();
  const start = useStartFunction();
  const name = () => start.name() ?? '';
  const request = () => (name() === '' ? null : { ...app.query('function'), name: name() });
  const asked = app.ask(request);
  app.offerExport({ request });
  return (
    <Show
      when={name() !== ''}
      fallback={<NoneSelected title="Function details" what="its details" isLoading={start.isLoading()} />}
    >
      <Toolbar title="Function details" subtitle={<span class="fd-subtitle">{name()}</span>} />
      <Answered asked={asked}>
        <div class="fd-page">
          <div class="fd-actions">
            <For each={FUNCTION_ACTIONS.filter((action) => action.group === 'show' && action.key !== 'd')}>
              {(action) => (
                <Show when={action.fits?.({ name: name() }) ?? true}>
                  <button type="button" class="button" onClick={() => action.run(app, { name: name() })}>
                    {action.title}
                  </button>
                </Show>
              )}
            </For>
          </div>
          <Show when={comparisonOf(app)} fallback={<ValuesTable details={asked.answer()} />}>
            <ComparedValues details={asked.answer()} />
          </Show>
          <FunctionNotes name={app.state.selected ?? ''} />
          <For each={asked.answer()?.functions}>{(each) => <Facts of={each} />}</For>
        </div>
        <Notes notes={asked.answer()?.notes} />
      </Answered>
    </Show>
  );
}

interface MetricRow {
  title: string;
  cells: (readonly [value: string, share: string, ratio: number] | null)[];
}

function rowsOf(details: FunctionDetailsView | undefined): MetricRow[] {
  const rows: MetricRow[] = [];
  for (const column of details?.columns ?? []) {
    if (!details || column.flavour !== 'exclusive' || column.is_percent) continue;
    const cells = (['exclusive', 'inclusive'] as const).map((flavour) => {
      const of = (isPercent: boolean) =>
        details.columns.find(
          (each) => each.metric === column.metric && each.flavour === flavour && each.is_percent === isPercent,
        );
      const [value, share] = [of(false), of(true)];
      if (!value) return null;
      const ratio = share ? columnValue(details.values, share) : 0;
      return [
        readable(columnValue(details.values, value), value.unit),
        share ? `${cellOf(details.values, share)} %` : '',
        ratio,
      ] as const;
    });
    rows.push({ title: column.title, cells });
  }
  return rows;
}

function ValuesTable(props: { details: FunctionDetailsView | undefined }): JSX.Element {
  return (
    <table class="fd-values">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col" colSpan={2}>
            Exclusive
          </th>
          <th scope="col" colSpan={2}>
            Inclusive
          </th>
        </tr>
      </thead>
      <tbody>
        <For each={rowsOf(props.details)}>
          {(row) => (
            <tr>
              <th scope="row">{row.title}</th>
              <For each={row.cells}>
                {(cell) => (
                  <>
                    <td classList={{ dim: cell?.[2] === 0 }}>{cell?.[0] ?? ''}</td>
                    <td class="fd-share" classList={{ dim: cell?.[2] === 0 }}>
                      <span class="heat" style={{ width: `${(cell?.[2] ?? 0) * 100}%` }} />
                      <span class="cell-text">{cell?.[1] ?? ''}</span>
                    </td>
                  </>
                )}
              </For>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/** Both sides and the change of each metric. */
function ComparedValues(props: { details: FunctionDetailsView | undefined }): JSX.Element {
  const values = (): Values => props.details?.values ?? {};
  return (
    <ComparedMetrics
      class="fd-values"
      cellClass="fd-share"
      columns={props.details?.columns ?? []}
      total={values()}
      values={values()}
    />
  );
}

function Facts(props: { of: FunctionFields }): JSX.Element {
  const app = useApp();
  const facts = (): (readonly [string, string])[] => {
    const { of } = props;
    const place =
      of.source_file === null ? null : `${of.source_file}${of.first_line === null ? '' : `, from line ${of.first_line}`}`;
    const all: (readonly [string, string | null])[] = [
      ['Internal name', of.internal_name],
      ['Source', place],
      ['Compiled to', of.object_file],
      ['Loaded from', of.load_object],
      ['Build id', of.build_id],
      ['Address', of.address === null ? null : String(of.address)],
      ['Size', of.size_bytes === null ? null : `${grouped(of.size_bytes)} bytes`],
      ['Bytecode', of.bytecode_bytes === null ? null : `${grouped(of.bytecode_bytes)} bytes`],
      ['Other names', of.aliases.length > 0 ? of.aliases.join(', ') : null],
    ];
    return all.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '');
  };
  return (
    <section class="fd-facts">
      <h2>
        <KindMark kind={props.of.kind} />
        {props.of.function}
      </h2>
      <dl>
        <div>
          <dt>Kind</dt>
          <dd>{props.of.kind}</dd>
        </div>
        <For each={facts()}>
          {([title, value]) => (
            <div>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          )}
        </For>
        <Show when={props.of.overloads.length > 0}>
          <div>
            <dt>Overloads</dt>
            <dd>
              <For each={props.of.overloads}>
                {(name) => (
                  <button type="button" class="link fd-overload" onClick={() => app.navigate({ selected: name })}>
                    {name}
                  </button>
                )}
              </For>
            </dd>
          </div>
        </Show>
      </dl>
    </section>
  );
}

export const view: ViewDefinition = {
  name: 'function',
  title: 'Function details',
  question: 'What is known about this function?',
  key: 'd',
  order: 75,
  group: 'code',
  component: FunctionView,
  showsSelected: true,
};
