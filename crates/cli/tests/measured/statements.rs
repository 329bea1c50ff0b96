//! Statements of JDBC in an instrumented JVM: the program counts and measures its own statements.

use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, printed};
use whittle_model::RequestKind;

/// The first JDK with virtual threads.
const FIRST_VIRTUAL: u32 = 21;

/// As the program prints a statement, and its name.
const STATEMENTS: [(&str, &str); 2] =
    [("all", "select id from items where list in (?) and state = ?"), ("one", "select name from items where id = ?")];

const REQUESTS: [(&str, &str, u64); 2] = [("/list", "GET /list", 11), ("/one", "GET /one", 1)];

fn program(threads: &str) -> [&str; 5] {
    ["whittle.workloads.truth.Statements", "--requests", "100", "--threads", threads]
}

#[test]
fn statements_have_their_numbers_and_lengths_and_requests_have_their_statements() {
    for jdk in kernel_jdks() {
        let kinds = if jdk.version >= FIRST_VIRTUAL { &["platform", "virtual"][..] } else { &["platform"] };
        for threads in kinds {
            let workspace = Workspace::new();
            let options = ["-q", "--instrument", "-o", "a.whittle"];
            let output = workspace.collect_launched(&options, &jdk, &program(threads));
            let collected = Collected::read(&workspace, "a.whittle");
            let table = &collected.tables.requests;
            let what = format!("JDK {}, {threads}", jdk.version);
            for (printed_name, name) in STATEMENTS {
                let truth = |key: &str| printed(&output, &format!("statement={printed_name} "), key);
                let is_of = |row: &usize| table.kind[*row] == RequestKind::Statement && table.name[*row] == name;
                // The first request of the program is before its truth, and can be seen or not.
                let count = truth("count") as usize;
                let rows: Vec<usize> = (0..table.kind.len()).filter(is_of).collect();
                // It executes eleven statements at most.
                assert!((count..=count + 11).contains(&rows.len()), "{what}, {name}: {} of {count}", rows.len());
                let rows = &rows[rows.len() - count..];
                let length_ns: u64 = rows.iter().map(|row| table.length_ns(*row)).sum();
                let (least_ns, most_ns) = (truth("least_ns"), truth("most_ns"));
                eprintln!("{what}, {name}: {count} statements, {least_ns} <= {length_ns} <= {most_ns}");
                assert!((least_ns..=most_ns).contains(&(length_ns as f64)), "{what}, {name}: {length_ns}");
                let times: Vec<_> = rows.iter().filter_map(|row| table.times(*row)).collect();
                assert_eq!(times.len(), count, "{what}, {name}");
                // A virtual thread has no clock of its own CPU time.
                let (cpu_ns, found_ns) = (truth("cpu_ns"), times.iter().map(|times| times.on_cpu_ns).sum::<u64>());
                let is_known = *threads == "platform";
                assert!(!is_known || (cpu_ns..=most_ns).contains(&(found_ns as f64)), "{what}: {found_ns} {cpu_ns}");
            }
            for (printed_name, name, statements) in REQUESTS {
                let count = printed(&output, &format!("request={printed_name} "), "count") as usize;
                let is_of = |row: &usize| table.kind[*row] == RequestKind::MarkedHttp && table.name[*row] == name;
                let rows: Vec<usize> = (0..table.kind.len()).filter(is_of).collect();
                assert!((count..=count + 1).contains(&rows.len()), "{what}, {name}: {} of {count}", rows.len());
                for row in &rows[rows.len() - count..] {
                    assert_eq!(table.statements_count[*row], Some(statements), "{what}, {name}");
                }
            }
            let shown = workspace.text(&["requests", "a.whittle"]);
            assert!(shown.contains("Statements of JDBC"), "{what}: {shown}");
        }
    }
}
