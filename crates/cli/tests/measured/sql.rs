//! Compares whittle with an independent reader. A SQL engine computes the table of functions from the Parquet files.

use crate::support::{SLOW, Workspace, number, stderr};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use whittle_testkit::{any_jdk, not_run};

/// Exclusive and inclusive nanoseconds per function and metric in machine mode, as a JSON list. Row numbers continue
/// over all parts of a table, in the order of the parts' file names.
/// Views name a lambda after the method around it, so the query does this, too. The functions of whittle's own BPF programs are one
/// function, and their callees are left out.
const QUERY: &str = r#"
import duckdb, json, sys
experiment = sys.argv[1]
database = duckdb.connect()
for table in ["stacks", "frames", "functions", "binaries"]:
    database.execute(f"""
        CREATE TABLE {table} AS SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS id, *
        FROM read_parquet('{experiment}/{table}-*.parquet', filename = true, file_row_number = true)""")
rows = database.execute(f"""
    WITH RECURSIVE own AS (
        SELECT id FROM functions
        WHERE kind = 'kernel' AND regexp_matches(display_name, '^(__bpf_trace_|bpf_trace_run|bpf_overflow_handler)')),
    shown_function AS (
        SELECT id, CASE WHEN id IN (FROM own) THEN (SELECT min(id) FROM own) ELSE id END AS function FROM functions),
    -- `node`: the stack, or the outermost of its ancestors whose frame is an own one.
    shown(stack, node, is_own) AS (
        SELECT 0, 0, false
        UNION ALL
        SELECT s.id, CASE WHEN shown.is_own THEN shown.node ELSE s.id END, shown.is_own OR f.function IN (FROM own)
        FROM shown JOIN stacks s ON s.parent = shown.stack AND s.id <> 0 JOIN frames f ON f.id = s.frame),
    path(stack, node) AS (
        SELECT id, id FROM stacks
        UNION ALL
        SELECT path.stack, stacks.parent FROM path JOIN stacks ON stacks.id = path.node WHERE path.node <> 0),
    on_path AS (
        SELECT DISTINCT path.stack, shown_function.function FROM path
        JOIN stacks ON stacks.id = path.node JOIN frames ON frames.id = stacks.frame
        JOIN shown_function ON shown_function.id = frames.function),
    cost AS (
        SELECT shown.node AS stack, sum(duration_ns)::BIGINT AS cpu,
               coalesce(sum(duration_ns) FILTER (mode = 'system'), 0)::BIGINT AS system_cpu
        FROM '{experiment}/samples-*.parquet' samples JOIN shown ON shown.stack = samples.stack
        WHERE event = 'cpu' GROUP BY shown.node),
    inclusive AS (
        SELECT function, sum(cpu) AS cpu, sum(system_cpu) AS system_cpu
        FROM on_path JOIN cost USING (stack) GROUP BY function),
    exclusive AS (
        SELECT shown_function.function, sum(cpu) AS cpu, sum(system_cpu) AS system_cpu
        FROM cost JOIN stacks ON stacks.id = cost.stack JOIN frames ON frames.id = stacks.frame
        JOIN shown_function ON shown_function.id = frames.function GROUP BY shown_function.function)
    SELECT CASE WHEN f.id IN (FROM own) THEN '<whittle BPF programs>' ELSE regexp_replace(
               replace(replace(f.display_name, '.lambda$static$', '.lambda$<clinit>$'), '.lambda$new$', '.lambda$<init>$'),
               '\\.lambda\\$([\\w<>]+)\\$(\\d+)\\(', '.\\1<lambda \\2>(') END, b.path,
           coalesce(e.cpu, 0)::BIGINT, i.cpu::BIGINT,
           coalesce(e.system_cpu, 0)::BIGINT, i.system_cpu::BIGINT
    FROM inclusive i JOIN functions f ON f.id = i.function JOIN binaries b ON b.id = f.binary
    LEFT JOIN exclusive e ON e.function = i.function""").fetchall()
json.dump(rows, sys.stdout)
"#;

const COLUMNS: [&str; 4] =
    ["exclusive_cpu_ns", "inclusive_cpu_ns", "exclusive_system_cpu_ns", "inclusive_system_cpu_ns"];

/// Values of functions by name and binary. Methods that differ only in their return type have the same name, but
/// separate rows.
type Table = BTreeMap<(String, String), Vec<Vec<u64>>>;

fn table(rows: impl Iterator<Item = ((String, String), Vec<u64>)>) -> Table {
    let mut table = Table::new();
    for (function, values) in rows {
        table.entry(function).or_default().push(values);
    }
    table.values_mut().for_each(|rows| rows.sort());
    table
}

fn by_sql(python: &str, experiment: &str) -> Table {
    let output = Command::new(python).args(["-c", QUERY, experiment]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let rows: Vec<Vec<Value>> = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let values = |row: &[Value]| row.iter().map(|value| value.as_u64().unwrap()).collect();
    table(rows.iter().map(|row| ((text(&row[0]), text(&row[1])), values(&row[2..]))))
}

fn by_whittle(workspace: &Workspace) -> Table {
    let metrics = "e.cpu,i.cpu,e.system_cpu,i.system_cpu";
    let view = workspace.json(&["functions", "a.whittle", "--mode", "machine", "--metrics", metrics]);
    let rows = view["rows"].as_array().unwrap().iter().chain(std::iter::once(&view["total"]));
    table(rows.map(|row| {
        let name = row["function"].as_str().unwrap_or("<Total>").to_owned();
        let values = COLUMNS.iter().map(|column| number(&row[*column]) as u64).collect();
        ((name, row["binary"].as_str().unwrap_or_default().to_owned()), values)
    }))
}

#[test]
fn the_functions_table_equals_a_sql_query_over_the_files() {
    let Some(jdk) = any_jdk() else { return };
    let Ok(python) = std::env::var("WHITTLE_PYTHON") else {
        return not_run("needs a Python with duckdb in WHITTLE_PYTHON");
    };
    let workspace = Workspace::new();
    // The program runs long enough for two parts, because row numbers must continue in the second part.
    workspace.collect_launched(&["-o", "a.whittle", "--interval", "1ms"], &jdk, &[SLOW, "--seconds", "7"]);
    assert!(workspace.path("a.whittle/stacks-000002.parquet").exists());
    let mut sql = by_sql(&python, workspace.path("a.whittle").to_str().unwrap());
    // Every sample ends in a function, so <Total> has no exclusive value in SQL. Whittle shows the inclusive value of
    // <Total> in place of the exclusive value.
    let total = sql.get_mut(&("<Total>".to_owned(), String::new())).unwrap();
    (total[0][0], total[0][2]) = (total[0][1], total[0][3]);
    let whittle = by_whittle(&workspace);
    assert!(whittle.len() > 50, "{}", whittle.len());
    for (function, values) in &sql {
        assert_eq!(whittle.get(function), Some(values), "{function:?}: whittle, SQL");
    }
    assert_eq!(whittle.len(), sql.len());
}
