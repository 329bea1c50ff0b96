// A query of DuckDB over an experiment's Parquet files, with the rows of the shown view. The query shows frames as they were
// recorded, and it applies only parts of the filter that are columns of the tables. It says what it leaves out.
import { timeRangeOf } from '../state/filter_parts';

/** The part of the state that the query depends on. */
export interface Queried {
  view: string;
  mode: string;
  metric: string;
  filter: readonly string[];
  transforms: readonly string[];
}

export interface SqlQuery {
  sql: string;
  /** What the view applies and the query does not, a few words each. */
  leftOut: string[];
}

interface Amount {
  title: string;
  value: string;
  where: string;
}

const SECONDS = 'duration_ns / 1e9';

/** The samples of each metric, and the value that they add. */
const AMOUNTS: Readonly<Record<string, Amount>> = {
  cpu: { title: 'seconds', value: SECONDS, where: "event = 'cpu'" },
  user_cpu: { title: 'seconds', value: SECONDS, where: "event = 'cpu' AND mode = 'user'" },
  system_cpu: { title: 'seconds', value: SECONDS, where: "event = 'cpu' AND mode = 'system'" },
  off_cpu: { title: 'seconds', value: SECONDS, where: "event = 'off_cpu'" },
  alloc_bytes: { title: 'bytes', value: 'bytes', where: "event = 'alloc'" },
  alloc_count: { title: 'objects', value: 'count', where: "event = 'alloc'" },
};

const VIEWS_OF_FUNCTIONS = ['functions', 'call-tree', 'flame-graph', 'callers-callees', 'sandwich'];

/** The query for the experiment in the directory `path`; null if no query has the rows of the view. */
export function sqlQuery(of: Queried, path: string): SqlQuery | null {
  const amount = AMOUNTS[of.metric];
  const isOfFunctions = VIEWS_OF_FUNCTIONS.includes(of.view);
  if (path === '' || !amount || !(isOfFunctions || of.view === 'threads')) return null;
  const parts = of.filter.map((part) => ({ part, condition: conditionOf(part, path) }));
  const leftOut = [
    ...(isOfFunctions && of.mode !== 'machine' ? [`mode ${of.mode}: the query shows all frames, as the mode machine does`] : []),
    ...parts.filter(({ condition }) => condition === null).map(({ part }) => `filter ${part}`),
    ...of.transforms.map((line) => `transform ${line}`),
  ];
  const conditions = [amount.where, ...parts.flatMap(({ condition }) => condition ?? [])];
  const body = isOfFunctions ? functionsQuery(amount, conditions, path) : threadsQuery(amount, conditions, path);
  const comments = leftOut.map((each) => `-- left out: ${each.replace(/\s+/g, ' ')}\n`);
  return { sql: comments.join('') + body, leftOut };
}

/** The query as a command of a shell. */
export function duckdbCommand(sql: string): string {
  return `duckdb <<'END_OF_QUERY'\n${sql}\nEND_OF_QUERY`;
}

function conditionOf(part: string, path: string): string | null {
  const range = timeRangeOf(part);
  if (range) return `time_ns >= ${range.from_ns} AND time_ns < ${range.to_ns}`;
  const [, mode] = /^mode is (user|system)$/.exec(part) ?? [];
  if (mode !== undefined) return `mode = ${text(mode)}`;
  const [, row] = /^thread = #(\d+)$/.exec(part) ?? [];
  if (row !== undefined) return `thread = ${row}`;
  const [, name] = /^thread = "((?:[^"]|"")*)"$/.exec(part) ?? [];
  if (name === undefined) return null;
  return `thread IN (SELECT file_row_number FROM ${threads(path)} WHERE name = ${text(name.replaceAll('""', '"'))})`;
}

function functionsQuery(amount: Amount, conditions: readonly string[], path: string): string {
  return `WITH RECURSIVE
  stacks AS (SELECT ${ROW} AS id, parent, frame FROM ${parts('stacks', path)}),
  frames AS (SELECT ${ROW} AS id, function FROM ${parts('frames', path)}),
  functions AS (SELECT ${ROW} AS id, display_name FROM ${parts('functions', path)}),
  cost AS (
    SELECT stack, sum(${amount.value}) AS value FROM ${samples(path)}
    WHERE ${conditions.join('\n      AND ')} GROUP BY stack),
  path(stack, node) AS (
    SELECT stack, stack FROM cost
    UNION ALL
    SELECT path.stack, stacks.parent FROM path JOIN stacks ON stacks.id = path.node WHERE path.node <> 0),
  on_path AS (
    SELECT DISTINCT path.stack, frames.function FROM path
    JOIN stacks ON stacks.id = path.node JOIN frames ON frames.id = stacks.frame),
  inclusive AS (SELECT function, sum(value) AS value FROM on_path JOIN cost USING (stack) GROUP BY function),
  exclusive AS (
    SELECT frames.function, sum(value) AS value FROM cost
    JOIN stacks ON stacks.id = cost.stack JOIN frames ON frames.id = stacks.frame GROUP BY frames.function)
SELECT display_name AS function, coalesce(exclusive.value, 0) AS exclusive_${amount.title}, inclusive.value AS inclusive_${amount.title}
FROM inclusive JOIN functions ON functions.id = inclusive.function
LEFT JOIN exclusive ON exclusive.function = inclusive.function
ORDER BY 2 DESC, 3 DESC, 1 LIMIT 100;`;
}

function threadsQuery(amount: Amount, conditions: readonly string[], path: string): string {
  return `WITH
  cost AS (
    SELECT thread, sum(${amount.value}) AS value FROM ${samples(path)}
    WHERE ${conditions.join('\n      AND ')} GROUP BY thread)
SELECT threads.name, threads.thread_id, cost.value AS ${amount.title}
FROM cost JOIN ${threads(path)} AS threads ON threads.file_row_number = cost.thread
ORDER BY 3 DESC, 1 LIMIT 100;`;
}

/** The row number that other tables refer to. It counts over all parts of a table. */
const ROW = 'row_number() OVER (ORDER BY filename, file_row_number) - 1';

function parts(table: string, path: string): string {
  return `read_parquet(${text(`${path}/${table}-*.parquet`)}, filename = true, file_row_number = true)`;
}

function samples(path: string): string {
  return `read_parquet(${text(`${path}/samples-*.parquet`)})`;
}

function threads(path: string): string {
  return `read_parquet(${text(`${path}/threads.parquet`)}, file_row_number = true)`;
}

/** A text of SQL. */
function text(of: string): string {
  return `'${of.replaceAll("'", "''")}'`;
}
