// The table of functions.
import { createEffect, createSignal } from 'solid-js';
import { useApp } from '../../app';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { metricsShown, sortShown } from '../../compare/use_comparison';
import type { Row, Table } from '../../engine/shapes';
import { counted } from '../../format/numbers';
import { setCentre } from '../../shell/function_actions';
import { Answered, Toolbar } from '../../shell/parts';
import { baseOf, describeValues } from '../../shell/values';
import { ColumnsButton } from '../../table/columns_dialog';
import { functionColumn, metricColumns, sortedWord } from '../../table/metric_columns';
import { useRows } from '../../table/use_rows';
import { VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../registry';

function Functions() {
  const app = useApp();
  const request = () => {
    const metrics = metricsShown(app);
    return metrics === null ? null : { ...app.query('functions'), metrics, sort: sortShown(app, metrics) };
  };
  const rows = useRows<Row, Table>(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const subtitle = () => {
    const answer = rows.answer();
    return answer && `${counted(answer.row_count, 'function')}${baseOf(answer.columns, answer.total, 'of all samples shown')}`;
  };
  const selected = () => rows.find((row) => row.function === app.state.selected);
  const [revealed, setRevealed] = createSignal(-1);
  createEffect((was: string | null | undefined) => {
    // What was selected elsewhere comes into view once, when the table is first there.
    if (rows.answer() === undefined || was === app.state.selected) return was;
    if (was === undefined) setRevealed(selected());
    return app.state.selected;
  }, undefined);
  return (
    <>
      <Toolbar title="Functions" subtitle={subtitle()}>
        <ColumnsButton />
      </Toolbar>
      <Answered asked={rows.asked}>
        <VirtualTable<Row>
          label="Functions"
          columns={[...metricColumns<Row>(columns(), rows.answer()?.total), functionColumn<Row>('Function', presenceMark(columns()))]}
          rowCount={rows.rowCount()}
          rowAt={rows.rowAt}
          onVisible={rows.onVisible}
          isStale={rows.isStale()}
          selected={selected()}
          revealed={revealed()}
          sortedBy={sortedWord(columns(), rows.answer()?.sorted_by)}
          onSort={(sort) => app.navigate({ sort })}
          onSelect={(row) => app.select(row.function)}
          onActivate={(row) => setCentre(app, row.function)}
          onMenu={(row, place) => app.openFunctionMenu(row.function, place, row)}
          onPoint={(row) =>
            app.showDetails(row && { name: row.function, facts: [row.kind], values: describeValues(columns(), row) })
          }
          empty="No sample is left by the filter and the transforms."
        />
        <ComparedNotes notes={rows.answer()?.notes} />
      </Answered>
    </>
  );
}

export const view: ViewDefinition = {
  name: 'functions',
  title: 'Functions',
  question: 'Which functions cost most?',
  key: 'f',
  order: 20,
  group: 'code',
  component: Functions,
};
