//! Compares whittle with an independent reader. A SQL engine computes the table of system calls from the Parquet files.

use crate::support::{Workspace, number, stderr};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use whittle_experiment::{ExperimentWriter, NewRows};
use whittle_testkit::{experiment_with_calls, not_run};

const CALLS: &str = "
    thread    call        file                                    calls  errors  bytes  seconds  latencies
    main      write       regular:/var/log/app.log                1000   0       52200  0.5      13:900 18:100
    worker 1  write       regular:/var/log/app.log                100    10      100    0.1      18:100
    worker 1  write       regular:/var/log/other.log              30     0       900    0.3      18:30
    worker 1  read        socket:tcp 10.0.0.1:5432->10.0.0.2:999  50     0       6400   2        25:50
    worker 1  epoll_wait  anonymous                               7      0       0      7        30:7
    main      epoll_wait  anonymous                               2      1       0      1        28:2
";

const SAMPLED: &str = "
    @thread  main           main           main             worker 1       worker 1
    @call    0              0              0                1              3
    @count   880            20             100              100            50
    @bytes   1              1              512              1              128
    @weight  0.0001         0.0002         0.0001           0.001          0.04
    @error   -              -              -                11             -
             app.Main.run   app.Main.run   app.Main.run     app.Main.run   java.lang.Thread.run
             app.Log.line   app.Log.line   app.Log.page     app.Log.line   java.net.Socket.read
             java.io.F.put  java.io.F.put  java.io.F.put    java.io.F.put  __recv[n]
             __write[n]     __write[n]     __write[n]       __write[n]     tcp_recvmsg[k]
";

/// The exact values by call and file, distributed over callers. A caller is the deepest Java method outside of `java.`,
/// or otherwise the deepest Java method.
const QUERY: &str = r#"
import duckdb, json, sys
experiment = sys.argv[1]
database = duckdb.connect()
for table, files in [("stacks", "stacks-*"), ("frames", "frames-*"), ("functions", "functions-*"),
                     ("files", "files"), ("syscalls", "syscalls"), ("calls", "sampled_calls-*")]:
    database.execute(f"""
        CREATE TABLE {table} AS SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS id, *
        FROM read_parquet('{experiment}/{files}.parquet', filename = true, file_row_number = true)""")
rows = database.execute("""
    WITH RECURSIVE path(stack, node, depth) AS (
        SELECT id, id, depth FROM stacks
        UNION ALL
        SELECT path.stack, stacks.parent, path.depth - 1 FROM path JOIN stacks ON stacks.id = path.node
        WHERE path.node <> 0),
    java AS (
        SELECT path.stack, path.depth, functions.display_name AS name, functions.internal_name LIKE 'java.%' AS is_jdk
        FROM path JOIN stacks ON stacks.id = path.node JOIN frames ON frames.id = stacks.frame
        JOIN functions ON functions.id = frames.function WHERE functions.kind = 'java'),
    caller AS (
        SELECT stack, coalesce(arg_max(name, depth) FILTER (NOT is_jdk), arg_max(name, depth)) AS caller
        FROM java GROUP BY stack),
    exact AS (
        SELECT syscalls.name AS call, files.kind, files.path, sum(calls_count)::DOUBLE AS calls,
               sum(errors_count)::DOUBLE AS errors, sum(bytes)::DOUBLE AS bytes, sum(duration_ns)::DOUBLE AS nanos
        FROM syscalls JOIN files ON files.id = syscalls.file GROUP BY ALL),
    sampled AS (
        SELECT syscalls.name AS call, files.kind, files.path, caller, sum(count)::DOUBLE AS calls,
               coalesce(sum(count) FILTER (error_number IS NOT NULL), 0)::DOUBLE AS errors,
               sum(count * calls.bytes)::DOUBLE AS bytes, sum(count * latency_ns)::DOUBLE AS nanos
        FROM calls JOIN syscalls ON syscalls.id = calls.syscall JOIN files ON files.id = syscalls.file
        JOIN caller ON caller.stack = calls.stack GROUP BY ALL),
    share AS (
        SELECT *, calls / sum(calls) OVER same AS by_calls, errors / nullif(sum(errors) OVER same, 0) AS by_errors,
               bytes / nullif(sum(bytes) OVER same, 0) AS by_bytes, nanos / nullif(sum(nanos) OVER same, 0) AS by_nanos
        FROM sampled WINDOW same AS (PARTITION BY call, kind, path))
    SELECT e.call, e.kind, e.path, coalesce(s.caller, '<not sampled>'), e.calls * coalesce(by_calls, 1),
           e.errors * coalesce(by_errors, by_calls, 1), e.bytes * coalesce(by_bytes, by_calls, 1),
           e.nanos * coalesce(by_nanos, by_calls, 1)
    FROM exact e LEFT JOIN share s ON s.call = e.call AND s.kind = e.kind AND s.path = e.path""").fetchall()
json.dump(rows, sys.stdout)
"#;

/// Calls, errors, bytes and nanoseconds by call, kind of file, path and caller.
type Table = BTreeMap<[String; 4], [f64; 4]>;

fn write_experiment(workspace: &Workspace) {
    let (manifest, mut tables) = experiment_with_calls(CALLS, SAMPLED);
    let mut writer = ExperimentWriter::create(&workspace.path("a.whittle"), &manifest, false).unwrap();
    let new_rows = NewRows { sampled_calls: std::mem::take(&mut tables.sampled_calls), ..NewRows::default() };
    writer.append(&tables, &new_rows).unwrap();
}

fn by_sql(python: &str, experiment: &str) -> Table {
    let output = Command::new(python).args(["-c", QUERY, experiment]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let rows: Vec<[Value; 8]> = serde_json::from_slice(&output.stdout).unwrap();
    let row = |[call, kind, path, caller, rest @ ..]: &[Value; 8]| {
        let key = [call, kind, path, caller].map(|text| text.as_str().unwrap().to_owned());
        (key, [0, 1, 2, 3].map(|figure| number(&rest[figure])))
    };
    rows.iter().map(row).collect()
}

fn by_whittle(workspace: &Workspace) -> Table {
    let view = workspace.json(&["syscalls", "a.whittle"]);
    let row = |row: &Value| {
        let key = ["call", "file_kind", "file", "caller"].map(|field| row[field].as_str().unwrap().to_owned());
        (key, ["calls_count", "errors_count", "bytes", "duration_ns"].map(|field| number(&row[field])))
    };
    view["rows"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_table_of_system_calls_equals_a_sql_query_over_the_files() {
    let Ok(python) = std::env::var("WHITTLE_PYTHON") else {
        return not_run("needs a Python with duckdb in WHITTLE_PYTHON");
    };
    let workspace = Workspace::new();
    write_experiment(&workspace);
    let (sql, whittle) = (by_sql(&python, workspace.path("a.whittle").to_str().unwrap()), by_whittle(&workspace));
    assert_eq!(sql.len(), 5);
    assert_eq!(whittle.keys().collect::<Vec<_>>(), sql.keys().collect::<Vec<_>>());
    for (key, expected) in &sql {
        for (found, expected) in whittle[key].iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-6 * expected.max(1.0), "{key:?}: {found} against {expected}");
        }
    }
}
