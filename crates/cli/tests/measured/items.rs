//! Work items that a program marks itself: their numbers and times are the program's own.

use crate::goals::GOAL_MEDIAN_LENGTH_ERROR;
use crate::support::tables::{Collected, may_use_kernel_engine};
use crate::support::{Workspace, printed};
use whittle_model::{RequestKind, RequestTimes};
use whittle_testkit::{MachineTime, native_workload};

/// Collects the program that marks its items. Returns what it printed.
fn collect(workspace: &Workspace, options: &[&str]) -> String {
    let program = native_workload("items");
    let collect = ["collect", "-q", "--instrument", "-o", "a.whittle", "--", program.to_str().unwrap()];
    workspace.text(&[&collect, options].concat())
}

fn assert_between(found: u64, [least, most]: [f64; 2], what: &str) {
    assert!(found as f64 >= least && found as f64 <= most, "{what}: {found} is not from {least} to {most}");
}

#[test]
fn items_have_the_times_of_the_threads_that_worked_for_them() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let begin = MachineTime::now();
    let output = collect(&workspace, &[]);
    let stolen_ns = begin.stolen_since().as_nanos() as f64;
    let collected = Collected::read(&workspace, "a.whittle");
    let (requests, parts) = (&collected.tables.requests, &collected.tables.request_parts);
    // Of a name: kind, number of threads' parts.
    let expected = [
        ("alone", "POST /orders/{}", RequestKind::MarkedHttp, 0),
        ("handed", "app.Task", RequestKind::Task, 2),
        ("helped", "orders process", RequestKind::Message, 2),
        ("left", "/shop.Orders/Place", RequestKind::Grpc, 2),
        ("statement", "select ?", RequestKind::Statement, 0),
    ];
    for (truth, name, kind, parts_each) in expected {
        let of = |key: &str| printed(&output, &format!("items={truth} "), key);
        let is_of = |row: &usize| requests.kind[*row] == kind;
        let rows: Vec<usize> = (0..requests.kind.len()).filter(is_of).collect();
        assert_eq!(rows.len() as f64, of("count"), "{truth}");
        assert!(rows.iter().all(|row| requests.name[*row] == name), "{truth}: {:?}", requests.name);
        let sum = |time: fn(&RequestTimes) -> u64| -> u64 {
            rows.iter().map(|row| time(&requests.times(*row).unwrap())).sum()
        };
        assert_between(rows.iter().map(|row| requests.length_ns(*row)).sum(), [of("least_ns"), of("most_ns")], truth);
        assert_between(sum(|times| times.away_ns), [of("least_away_ns"), of("most_away_ns")], truth);
        // The host's programs and interrupts use a part of the time in which a thread has the CPU. The program's clock leaves it out. It
        // contains more of each context switch than the kernel's event shows: about 6 µs per item.
        let least_cpu_ns = of("least_cpu_ns") * (1.0 - GOAL_MEDIAN_LENGTH_ERROR);
        let most_cpu_ns = of("most_cpu_ns") * (1.0 + GOAL_MEDIAN_LENGTH_ERROR) + stolen_ns;
        assert_between(sum(|times| times.on_cpu_ns), [least_cpu_ns, most_cpu_ns], truth);
        for row in &rows {
            let times = requests.times(*row).unwrap();
            assert_eq!(times.values().iter().sum::<u64>(), requests.length_ns(*row), "{truth}");
            let own = parts.number.iter().filter(|number| requests.number[*row] == Some(**number)).count();
            // If the second thread comes after the end, it never worked for the item.
            let is_late = truth == "left" && requests.number[*row].is_none();
            assert_eq!(own, if is_late { 0 } else { parts_each }, "{truth}");
        }
    }
    let of_kind = |kind| (0..requests.kind.len()).filter(move |row| requests.kind[*row] == kind);
    let statements_ns: u64 = of_kind(RequestKind::Statement).map(|row| requests.length_ns(row)).sum();
    assert!(of_kind(RequestKind::MarkedHttp).all(|row| requests.statements_count[row] == Some(1)));
    assert_eq!(
        of_kind(RequestKind::MarkedHttp).filter_map(|row| requests.statements_ns[row]).sum::<u64>(),
        statements_ns
    );
    // "16 bytes of ids."
    let trace = Some("3136206279746573206f66206964732e");
    assert!(of_kind(RequestKind::Message).all(|row| requests.trace[row].as_deref() == trace));
    assert!(of_kind(RequestKind::Task).all(|row| requests.trace[row].is_none()));
    // Marks are no calls of the program.
    assert!(!collected.tables.syscalls.name.iter().any(|name| name == "prctl"), "marks are counted as calls");
}

/// A program can make any marks.
#[test]
fn hostile_marks_do_no_harm() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let output = collect(&workspace, &["--hostile", "1000000"]);
    assert!(output.starts_with("marks=1000000 "), "{output}");
    let collected = Collected::read(&workspace, "a.whittle");
    let requests = &collected.tables.requests;
    assert!(requests.name.iter().all(|name| !name.chars().any(char::is_control)), "{:?}", requests.name);
}
