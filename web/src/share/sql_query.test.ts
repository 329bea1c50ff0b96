import { expect, test } from 'vitest';
import { duckdbCommand, sqlQuery } from './sql_query';

const FUNCTIONS = { view: 'functions', mode: 'machine', metric: 'system_cpu', filter: [], transforms: [] };

test('the functions query adds the samples of the metric', () => {
  const query = sqlQuery(FUNCTIONS, '/x/app.whittle');
  expect(query?.leftOut).toEqual([]);
  expect(query?.sql).toContain("WHERE event = 'cpu' AND mode = 'system' GROUP BY stack");
  expect(query?.sql).toContain("read_parquet('/x/app.whittle/stacks-*.parquet', filename = true, file_row_number = true)");
});

test('parts of the filter become conditions, and names cannot end a text', () => {
  const filter = ['time in 1s..2.5s', `thread = "it's ""me"""`, 'thread = #3', 'mode is user'];
  const sql = sqlQuery({ ...FUNCTIONS, view: 'threads', filter }, "/it's/a")?.sql ?? '';
  expect(sql).toContain('time_ns >= 1000000000 AND time_ns < 2500000000');
  expect(sql).toContain(`WHERE name = 'it''s "me"')`);
  expect(sql).toContain('AND thread = 3');
  expect(sql).toContain("AND mode = 'user'");
  expect(sql).toContain("'/it''s/a/threads.parquet'");
});

test('what the query does not apply is named', () => {
  const query = sqlQuery(
    { ...FUNCTIONS, mode: 'user', filter: ['stack has "a\nDROP"'], transforms: ['collapse recursion'] },
    '/x',
  );
  expect(query?.leftOut).toEqual([
    'mode user: the query shows all frames, as the mode machine does',
    'filter stack has "a\nDROP"',
    'transform collapse recursion',
  ]);
  expect(query?.sql).toContain('-- left out: filter stack has "a DROP"\n-- left out: transform');
});

test('there is no query for other views, other metrics and comparisons', () => {
  expect(sqlQuery({ ...FUNCTIONS, view: 'source' }, '/x')).toBeNull();
  expect(sqlQuery({ ...FUNCTIONS, metric: 'lock_wait' }, '/x')).toBeNull();
  expect(sqlQuery(FUNCTIONS, '')).toBeNull();
});

test('the command passes the query as it is', () => {
  expect(duckdbCommand("SELECT '$x';")).toBe("duckdb <<'END_OF_QUERY'\nSELECT '$x';\nEND_OF_QUERY");
});
