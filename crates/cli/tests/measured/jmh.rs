//! `-prof whittle` of JMH: runs the plug-in's sample project as a user would run it.

use crate::support::{Workspace, assert_near, number, stderr};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use whittle_testkit::{Jdk, any_jdk, jdks};

/// Options for short forks. The tests do not need JMH's own accuracy.
const SHORT: [&str; 8] = ["-wi", "1", "-w", "1s", "-i", "2", "-r", "1s"];
/// Length of an iteration in `SHORT`.
const ITERATION_SECONDS: f64 = 1.0;

/// The jar of the sample project. The user must build this project before the test.
fn benchmarks() -> PathBuf {
    let jar = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/jmh-profiler/sample/target/benchmarks.jar");
    assert!(jar.exists(), "the sample is not built; run: mvn -q -B -f java/jmh-profiler/pom.xml package");
    jar
}

/// Runs JMH with `-prof whittle:OPTIONS`, and waits until it ends.
fn run_jmh(workspace: &Workspace, jdk: &Jdk, options: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(jdk.java());
    // Another JMH on this machine can hold the lock on a file in the folder for temporary files.
    command.arg("-Djmh.ignoreLock=true").arg("-jar").arg(benchmarks());
    command.args(["-prof", &format!("whittle:{options}")]).args(arguments);
    command.current_dir(workspace.path(".")).output().unwrap()
}

/// A run of JMH that succeeded, with its experiments in `out`.
struct Run {
    workspace: Workspace,
    /// The output of JMH.
    output: String,
}

impl Run {
    /// Runs benchmarks with the program under test.
    fn new(jdk: &Jdk, arguments: &[&str]) -> Self {
        let workspace = Workspace::new();
        let options = format!("whittle={};dir=out", env!("CARGO_BIN_EXE_whittle"));
        let output = run_jmh(&workspace, jdk, &options, arguments);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(output.status.success(), "{text}{}", stderr(&output));
        Self { workspace, output: text }
    }

    /// Names of the experiments, in order.
    fn experiments(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.workspace.path("out")).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// How many units of work an experiment has. The experiment has one kind of unit.
    fn operations(&self, experiment: &str) -> f64 {
        let manifest = self.workspace.manifest(&format!("out/{experiment}"));
        let units = manifest["units_of_work"].as_array().unwrap();
        assert_eq!(units.len(), 1, "{units:?}");
        assert_eq!(units[0]["name"], "operations");
        number(&units[0]["amount"])
    }

    /// The filter in the command that the plug-in prints for an experiment.
    fn printed_filter(&self, experiment: &str) -> &str {
        let command = format!(" functions out/{experiment} --filter '");
        let (_, rest) =
            self.output.split_once(&command).unwrap_or_else(|| panic!("no \"{command}\" in:\n{}", self.output));
        rest.split('\'').next().unwrap()
    }
}

/// JMH's result for a benchmark.
fn result<'a>(results: &'a Value, benchmark: &str) -> &'a Value {
    results.as_array().unwrap().iter().find(|result| result["benchmark"] == benchmark).unwrap()
}

/// The length of a time range in seconds. The range is in the filter syntax: `time in 1.220s..2.242s`.
fn window_seconds(filter: &str) -> f64 {
    let (from, to) = filter.strip_prefix("time in ").unwrap().split_once("..").unwrap();
    let seconds = |moment: &str| moment.strip_suffix('s').unwrap().parse::<f64>().unwrap();
    seconds(to) - seconds(from)
}

/// Asserts that a fork's number of operations agrees with JMH's rates. Each iteration has one rate. An iteration takes
/// at least the requested time, and at most the length of the window.
fn assert_operations(what: &str, operations: f64, rates: &[f64], window_seconds: f64) {
    let at_least: f64 = rates.iter().map(|rate| rate * ITERATION_SECONDS).sum();
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    assert!(operations >= at_least * 0.95, "{what}: {operations} operations, by its rates at least {at_least}");
    let at_most = fastest * window_seconds;
    assert!(operations <= at_most * 1.2, "{what}: {operations} operations, by its rates at most {at_most}");
}

/// The hottest Java method. Pseudo-functions of stacks without Java can be hotter, if the JIT compiler is late on a
/// shared machine.
fn hottest_method(functions: &Value) -> &Value {
    let rows = functions["rows"].as_array().unwrap();
    &rows.iter().find(|row| row["kind"] == "java").unwrap()["function"]
}

/// A benchmark of the sample, with its known facts.
struct Known {
    benchmark: &'static str,
    /// The name of its experiments, without the number of the fork.
    id: &'static str,
    /// The method that uses the CPU time.
    hottest: &'static str,
    /// Converts a score to operations per second.
    rate: fn(f64) -> f64,
}

const CRC: Known = Known {
    benchmark: "sample.Checksum.crc",
    id: "sample.Checksum.crc-Throughput",
    hottest: "sample.Checksum.bitByBit(byte[])",
    rate: |operations_per_second| operations_per_second,
};

const PRIMES: Known = Known {
    benchmark: "sample.Primes.count",
    id: "sample.Primes.count-AverageTime-limit-20000",
    hottest: "sample.Primes.isPrime(int)",
    rate: |microseconds| 1e6 / microseconds,
};

impl Known {
    /// One experiment per fork, with the right hottest method, operations and CPU time per operation.
    fn assert_forks(&self, run: &Run, results: &Value) {
        let result = result(results, self.benchmark);
        let cpu_ns = [0, 1].map(|fork| self.assert_fork(run, result, fork));
        let metric = &result["secondaryMetrics"]["whittle.cpu"];
        assert_eq!(metric["scoreUnit"], "ns/op");
        assert_near("CPU time per operation", number(&metric["score"]), f64::midpoint(cpu_ns[0], cpu_ns[1]), 1e-9);
    }

    /// Checks a fork. Returns its CPU time per operation, from `whittle functions`.
    fn assert_fork(&self, run: &Run, result: &Value, fork: usize) -> f64 {
        let output = &run.output;
        let experiment = format!("{}-fork{}.whittle", self.id, fork + 1);
        let operations = run.operations(&experiment);
        assert!(output.contains(&format!("whittle: {operations} operations\n")), "{operations}: {output}");
        let filter = run.printed_filter(&experiment);
        let scores = result["primaryMetric"]["rawData"][fork].as_array().unwrap();
        let rates: Vec<f64> = scores.iter().map(|score| (self.rate)(number(score))).collect();
        assert_operations(&experiment, operations, &rates, window_seconds(filter));
        let functions = run.workspace.json(&["functions", &format!("out/{experiment}"), "--filter", filter]);
        assert_eq!(hottest_method(&functions), self.hottest, "{output}");
        number(&functions["total"]["inclusive_cpu_ns"]) / operations
    }
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn each_fork_is_an_experiment_with_its_operations() {
    for jdk in jdks() {
        let arguments: Vec<&str> = SHORT.iter().chain(&["-rf", "json", "-rff", "results.json"]).copied().collect();
        let run = Run::new(&jdk, &arguments);
        let expected = [&CRC, &PRIMES].map(|known| [1, 2].map(|fork| format!("{}-fork{fork}.whittle", known.id)));
        assert_eq!(run.experiments(), expected.concat());
        let results = std::fs::read_to_string(run.workspace.path("results.json")).unwrap();
        let results: Value = serde_json::from_str(&results).unwrap();
        CRC.assert_forks(&run, &results);
        PRIMES.assert_forks(&run, &results);
    }
}

/// In this mode, the command line determines the number of operations, because an operation is a batch.
#[test]
fn operations_of_all_threads_count_and_warm_up_does_not() {
    let Some(jdk) = any_jdk() else { return };
    let arguments = ["Primes", "-bm", "ss", "-bs", "100", "-wi", "2", "-i", "5", "-t", "3", "-wf", "1", "-f", "2"];
    let run = Run::new(&jdk, &arguments);
    let experiments = run.experiments();
    assert_eq!(experiments.len(), 2, "a fork for warm-up is not collected: {experiments:?}\n{}", run.output);
    for experiment in experiments {
        assert_eq!(run.operations(&experiment), 15.0, "{}", run.output);
    }
}

/// JMH ends before the first fork, and prints the reason.
#[test]
fn what_cannot_work_is_said_before_the_first_fork() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let program = env!("CARGO_BIN_EXE_whittle");
    std::fs::create_dir_all(workspace.path("full/a.whittle")).unwrap();
    for (options, expected) in [
        ("whittle=/no/whittle".to_owned(), "cannot run the program /no/whittle"),
        (format!("whittle={program};engine=warp"), "\"warp\" is not an engine; known: auto, kernel"),
        (format!("whittle={program};events=fire"), "\"fire\" is not an event"),
        (format!("whittle={program};speed=9"), "no option speed\nOptions of whittle"),
        (format!("whittle={program};dir=full"), "full already holds experiments; name another folder"),
        ("help".to_owned(), "Options of whittle"),
    ] {
        let output = run_jmh(&workspace, &jdk, &options, &["Primes"]);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
        assert!(!output.status.success(), "{options}: {text}");
        assert!(text.contains(expected) && !text.contains("# Fork"), "{options}: {text}");
        assert!(!text.contains("\tat "), "a stack trace is no message: {text}");
    }
}
