// The table of functions.
import { createEffect, createSignal } from 'solid-js';
import { useApp } from '../../app';
import { ColumnsButton } from '../../columns/columns_dialog';
import { functionColumn, metricColumns, sortedWord } from '../../columns/metric_columns';
import { baseOf, describeValues } from '../../columns/values';
import { presenceMark } from '../../compare/compared_columns';
import { ComparedNotes } from '../../compare/moved';
import { metricsShown, sortShown } from '../../compare/use_comparison';
import type { FunctionRow } from '../../engine/answers';
import { counted } from '../../format/numbers';
import { FindNames } from '../../parts/find_names';
import { setCentre } from '../../parts/function_actions';
import { Answered, Toolbar } from '../../parts/parts';
import { useOption } from '../../parts/use_option';
import { useRows } from '../../table/use_rows';
import { VirtualTable } from '../../table/virtual_table';
import type { ViewDefinition } from '../../view';

function Functions() {
  const app = useApp();
  const [named, setNamed] = useOption<string>('functions.named', '');
  const request = () => {
    const metrics = metricsShown(app);
    return metrics === null ? null : { ...app.query('functions'), metrics, sort: sortShown(app, metrics), named: named() };
  };
  const rows = useRows(app, request);
  app.offerExport({ request });
  const columns = () => rows.answer()?.columns ?? [];
  const subtitle = () => {
    const answer = rows.answer();
    return answer && `${counted(answer.row_count, 'function')}${baseOf(answer.columns, answer.total, 'of all shown samples')}`;
  };
  const selected = () => rows.find((row) => row.function === app.state.selected);
  const [revealed, setRevealed] = createSignal(-1);
  createEffect((was: string | null | undefined) => {
    // The function that another view selected is scrolled into view once, with the first answer.
    if (rows.answer() === undefined || was === app.state.selected) return was;
    if (was === undefined) setRevealed(selected());
    return app.state.selected;
  }, undefined);
  return (
    <>
      <Toolbar title="Functions" subtitle={subtitle()}>
        <FindNames
          what="function"
          named={named()}
          rowCount={rows.answer()?.row_count}
          onNamed={(text) => setNamed(text, { replace: named() !== '' })}
        />
        <ColumnsButton />
      </Toolbar>
      <Answered asked={rows.asked}>
        <VirtualTable<FunctionRow>
          label="Functions"
          columns={[
            ...metricColumns<FunctionRow>(columns(), rows.answer()?.total),
            functionColumn<FunctionRow>('Function', presenceMark(columns())),
          ]}
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
          empty={named() === '' ? 'No samples match the filter and the transforms.' : 'No shown function has this name.'}
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
