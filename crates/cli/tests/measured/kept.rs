//! Data that a collection keeps in addition to samples: class files, the JVM's counters, the program's numbers.

use crate::support::{Running, SLOW, Workspace};
use std::collections::BTreeMap;
use std::path::Path;
use whittle_experiment::Experiment;
use whittle_testkit::{Jdk, jdks};

const PATTERN: &str =
    "^rate (?<documents_per_second>[0-9.,]+) documents/s$|^documents (?<documents_count>[0-9]+) seconds";

fn read(workspace: &Workspace, experiment: &str) -> Experiment {
    whittle_experiment::read(&workspace.path(experiment)).unwrap()
}

/// All values of each counter, in order.
fn counters(experiment: &Experiment) -> BTreeMap<&str, Vec<f64>> {
    let table = &experiment.tables.counters;
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (counter, value) in table.counter.iter().zip(&table.value) {
        values.entry(counter).or_default().push(*value);
    }
    values
}

/// Asserts that the archived class file equals the compiled class file, and that its origin is the workloads' jar. The
/// archive must not contain JDK classes.
fn assert_archived(experiment: &Experiment, class: &str) {
    let table = &experiment.tables.archive;
    let row = table.class_name.iter().position(|name| name == class);
    let row = row.unwrap_or_else(|| panic!("{class} is not in {:?}", table.class_name));
    let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/workloads/target/classes");
    let expected = std::fs::read(compiled.join(format!("{class}.class"))).unwrap();
    assert!(table.bytes[row].as_ref() == Some(&expected), "{class}");
    assert!(table.origin[row].ends_with("/whittle-workloads.jar"), "{}", table.origin[row]);
    assert!(!table.class_name.iter().any(|name| name == "java/io/FileOutputStream"), "{:?}", table.class_name);
}

fn assert_jvm_figures(values: &BTreeMap<&str, Vec<f64>>, jdk: &Jdk) {
    for counter in ["heap_capacity_bytes", "class_count", "thread_count", "compilation_ns", "rss_bytes"] {
        let last = values.get(counter).and_then(|values| values.last());
        assert!(last.is_some_and(|last| *last > 0.0), "JDK {}: {counter} in {values:?}", jdk.version);
    }
}

/// Checks how busy the machine is. Most of the time, the program keeps one CPU busy. The other CPUs can be idle.
fn assert_machine_figures(values: &BTreeMap<&str, Vec<f64>>) {
    let (busy, stolen) = (&values["machine_busy_ratio"], &values["machine_stolen_ratio"]);
    assert_eq!(busy.len(), stolen.len());
    let (busy, stolen) = (busy.iter().sum::<f64>() / busy.len() as f64, stolen.iter().sum::<f64>() / busy.len() as f64);
    let cpus = std::thread::available_parallelism().unwrap().get() as f64;
    assert!(busy + stolen > 0.5 / cpus && busy <= 1.0, "busy {busy}, stolen {stolen}, {cpus} CPUs");
}

#[test]
fn a_launched_program_leaves_its_classes_and_its_numbers() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let options = ["-q", "-o", "a.whittle", "--metric", PATTERN];
        let output = workspace.collect_launched(&options, &jdk, &[SLOW, "--seconds", "4"]);
        let experiment = read(&workspace, "a.whittle");
        assert_archived(&experiment, "whittle/workloads/crc/slow/ExtOutputStream");
        let values = counters(&experiment);
        assert_jvm_figures(&values, &jdk);
        assert_machine_figures(&values);
        let printed = |start: &str, end: &str| {
            let lines = output.lines().filter_map(|line| line.strip_prefix(start)?.split(end).next()?.parse().ok());
            lines.collect::<Vec<f64>>()
        };
        assert!(!values["documents_per_second"].is_empty());
        assert_eq!(values["documents_per_second"], printed("rate ", " documents/s"));
        assert_eq!(values["documents_count"], printed("documents ", " seconds"));
        let units = &experiment.manifest.units_of_work;
        let units: Vec<_> = units.iter().map(|unit| (unit.name.as_str(), unit.amount)).collect();
        assert_eq!(units, [("documents", values["documents_count"][0])]);
    }
}

#[test]
fn an_attached_program_leaves_its_classes_too() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
        workspace.text(&["collect", "-q", "-o", "a.whittle", "-p", &program.pid(), "-d", "3s"]);
        let experiment = read(&workspace, "a.whittle");
        assert_archived(&experiment, "whittle/workloads/crc/slow/ExtOutputStream");
        assert_jvm_figures(&counters(&experiment), &jdk);
    }
}
