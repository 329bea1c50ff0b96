// The command of the export menu that copies a query of DuckDB.
import type { App } from '../app';
import { copyText } from '../parts/function_actions';
import { duckdbCommand, sqlQuery } from './sql_query';

/** Copies the query of the shown view; undefined if no query has its rows. */
export function sqlCommand(app: App): (() => Promise<void>) | undefined {
  const path = app.experiments()[app.state.experiment]?.path ?? '';
  const query = sqlQuery({ ...app.state, metric: app.metric()?.name ?? '' }, path);
  if (!query) return undefined;
  const what = query.leftOut.length === 0 ? 'The command' : `The command, without ${query.leftOut.join('; ')},`;
  return () => copyText(app, duckdbCommand(query.sql), what);
}
