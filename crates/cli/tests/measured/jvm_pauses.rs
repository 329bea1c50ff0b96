//! Safepoints, pauses of the collector and code that was given up, compared with the JVM's own log in a file of the test; and
//! the findings that use them.

use crate::goals::GOAL_MEANING_ERROR;
use crate::support::tables::Collected;
use crate::support::{Running, Workspace, number, stderr, whittle_command};
use crate::tolerance;
use serde_json::Value;
use std::process::Command;
use std::time::Duration;
use whittle_model::{JvmEvent, JvmEventKind, Table};
use whittle_testkit::{Jdk, jdks};

const PROGRAM: &str = "whittle.workloads.truth.AllocationHeavy";
/// Goal for the time of a pause. A line can be later than its pause, because the JVM writes it after the end.
const TIME_GOAL_NS: u64 = 1_000_000;

/// A pause in the JVM's own log.
#[derive(Debug)]
struct Logged {
    name: String,
    length_ns: u64,
    line_ns: u64,
}

/// JVM options for a small heap and a log of the test.
fn options(workspace: &Workspace) -> [String; 2] {
    let log = workspace.path("own.log");
    ["-Xmx32m".to_owned(), format!("-Xlog:safepoint,gc:file={}:tn,tg", log.display())]
}

/// The safepoints or the pauses of the collector in the log. The test reads the lines in another way than whittle.
fn logged(workspace: &Workspace, kind: JvmEventKind) -> Vec<Logged> {
    let text = std::fs::read_to_string(workspace.path("own.log")).unwrap();
    let lines = text.lines().filter_map(|line| {
        let line_ns = line[1..line.find("ns]")?].trim().parse().unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        match kind {
            JvmEventKind::Safepoint => {
                let total = words.iter().position(|word| *word == "Total:")?;
                let length_ns = words[total + 1].parse().unwrap();
                Some(Logged { name: line.split('"').nth(1)?.to_owned(), length_ns, line_ns })
            }
            _ => {
                let start = line.find(") Pause ")? + 2;
                let millis: f64 = words.last()?.strip_suffix("ms")?.parse().unwrap();
                // `Pause Remark 20M->10M(32M) 1.2ms`, or without the heap.
                let text: Vec<&str> = line[start..].split(' ').collect();
                let has_heap = text[text.len() - 2].contains("->");
                let name = text[..text.len() - 1 - usize::from(has_heap)].join(" ");
                Some(Logged { name, length_ns: (millis * 1e6).round() as u64, line_ns })
            }
        }
    });
    lines.collect()
}

fn collected(workspace: &Workspace, kind: JvmEventKind) -> (u64, Vec<JvmEvent>) {
    let collected = Collected::read(workspace, "a.whittle");
    let events = &collected.tables.jvm_events;
    let mut events: Vec<JvmEvent> =
        (0..events.len()).map(|row| events.row(row)).filter(|event| event.kind == kind).collect();
    events.sort_by_key(|event| event.end_ns);
    (collected.manifest.start_monotonic_ns.unwrap(), events)
}

/// Compares events with the lines of the log. Both are in the order of time.
fn compare(title: &str, (start_ns, events): (u64, &[JvmEvent]), lines: &[Logged]) {
    assert_eq!(events.len(), lines.len(), "{title}");
    let mut late_ns = Vec::new();
    for (event, line) in events.iter().zip(lines) {
        assert_eq!((&event.name, event.end_ns - event.start_ns), (&line.name, line.length_ns), "{title}: {line:?}");
        let end_ns = start_ns + event.end_ns;
        assert!(end_ns <= line.line_ns, "{title}: the event ends after its line: {event:?} {line:?}");
        late_ns.push(line.line_ns - end_ns);
    }
    late_ns.sort_unstable();
    let within = late_ns.iter().filter(|late| **late <= TIME_GOAL_NS).count();
    let (median, longest) = (late_ns[late_ns.len() / 2], late_ns[late_ns.len() - 1]);
    eprintln!(
        "{title}: {} pauses, {within} at most 1 ms before their line, median {median} ns, most {longest} ns",
        late_ns.len()
    );
    // Half of the lines are not late: the writing thread rarely loses its CPU.
    assert!(median <= TIME_GOAL_NS, "{title}: {late_ns:?}");
}

/// In a launched program, every pause is there, from the first to the last.
#[test]
fn every_pause_of_the_jvms_own_log_is_in_the_experiment() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let options = options(&workspace);
        let program = [&options[0], &options[1], PROGRAM, "--cycles", "3000000"];
        workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
        for kind in [JvmEventKind::Safepoint, JvmEventKind::GcPause] {
            let (start_ns, events) = collected(&workspace, kind);
            let title = format!("JDK {} {kind}", jdk.version);
            compare(&title, (start_ns, &events), &logged(&workspace, kind));
            assert!(events.len() > 10, "{title}: the program must collect garbage");
        }
        pauses_are_inside_safepoints(&workspace);
    }
}

fn pauses_are_inside_safepoints(workspace: &Workspace) {
    let (_, safepoints) = collected(workspace, JvmEventKind::Safepoint);
    for kind in [JvmEventKind::GcPause, JvmEventKind::GcPhase] {
        let (_, pauses) = collected(workspace, kind);
        for pause in pauses {
            let is_around =
                |safepoint: &JvmEvent| safepoint.start_ns <= pause.start_ns && pause.end_ns <= safepoint.end_ns;
            assert!(safepoints.iter().any(is_around), "{pause:?} is outside of all safepoints");
        }
    }
}

/// What the JVM logs, and where.
fn log_outputs(jdk: &Jdk, pid: &str) -> String {
    let output = Command::new(jdk.home.join("bin/jcmd")).args([pid, "VM.log", "list"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// In a running program, the pauses of the collection are there, and the JVM's log is as before.
#[test]
fn a_running_jvm_logs_for_whittle_only_during_the_collection() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let options = options(&workspace);
        let flags: Vec<&str> = options.iter().map(String::as_str).collect();
        let program = Running::workload(&jdk, &flags, &[PROGRAM, "--cycles", "1000000000"]);
        let outputs = log_outputs(&jdk, &program.pid());
        workspace.text(&["collect", "-q", "-p", &program.pid(), "-d", "2s", "-o", "a.whittle"]);
        assert_eq!(log_outputs(&jdk, &program.pid()), outputs, "JDK {}", jdk.version);
        for kind in [JvmEventKind::Safepoint, JvmEventKind::GcPause] {
            let (start_ns, events) = collected(&workspace, kind);
            let (first, last) = (start_ns + events[0].end_ns, start_ns + events[events.len() - 1].end_ns);
            let mut lines = logged(&workspace, kind);
            let is_first =
                |line: &Logged| line.length_ns == events[0].end_ns - events[0].start_ns && line.line_ns >= first;
            let begin = lines.iter().position(is_first).expect("the first pause is in the JVM's own log");
            lines.drain(..begin);
            lines.truncate(events.len());
            let title = format!("JDK {} attached {kind}", jdk.version);
            compare(&title, (start_ns, &events), &lines);
            // Two seconds, without the time of attaching.
            assert!(last - first > Duration::from_millis(1500).as_nanos() as u64, "{title}: {first} to {last}");
        }
    }
}

/// Lines of the JVM's own log about optimised code that was given up, without code that was only replaced.
fn given_up(log: &str) -> usize {
    let is_given_up = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // The level is before the method, which contains `::`.
        let method = words.iter().position(|word| word.contains("::"));
        let is_optimised = method.is_some_and(|method| words[method - 1] == "4");
        line.contains("made not entrant")
            && is_optimised
            && !line.contains("not used")
            && !line.contains("OSR invalidation")
    };
    log.lines().filter(is_given_up).count()
}

/// The notes of `findings` about the JVM's collector and compiler.
fn notes(workspace: &Workspace) -> Vec<String> {
    let view: Value = serde_json::from_str(&workspace.text(&["findings", "a.whittle", "--json"])).unwrap();
    let ids = view["quality"].as_array().unwrap().iter().map(|note| note["id"].as_str().unwrap().to_owned());
    ids.filter(|id| ["repeated-deoptimization", "early-promotion", "collector-falls-behind"].contains(&id.as_str()))
        .collect()
}

/// The only thread of the program waits during each pause of the collector, and the meaning of its waits says so.
fn waits_for_the_collector(workspace: &Workspace, version: u32) {
    let (_, pauses) = collected(workspace, JvmEventKind::GcPause);
    let paused: f64 = pauses.iter().map(|pause| (pause.end_ns - pause.start_ns) as f64).sum();
    let view = workspace.json(&["waits", "a.whittle", "--filter", "thread = \"main\""]);
    let rows = view["rows"].as_array().unwrap().iter();
    let of_jvm = rows.filter(|row| ["heap_memory", "safepoint"].contains(&row["meaning"].as_str().unwrap()));
    let found: f64 = of_jvm.map(|row| number(&row["duration_ns"])).sum();
    let total = &view["total"];
    let chance = tolerance::spread(found / number(&total["duration_ns"]), number(&total["samples_count"]));
    eprintln!("JDK {version}: waits for the JVM ÷ its pauses {:.3}, by chance {chance:.3}", found / paused);
    assert!(found >= (1.0 - GOAL_MEANING_ERROR - chance) * paused, "JDK {version}: {view}, pauses {paused}");
}

/// Programs with a known trouble: wrong assumptions of the compiler, a young generation and a heap that are too small, and none.
#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn trouble_of_the_collector_and_of_the_compiler_is_found() {
    const GENERATIONS: &str = "whittle.workloads.truth.Generations";
    for jdk in jdks() {
        let workspace = Workspace::new();
        let log = workspace.path("own.log");
        let logged = format!("-Xlog:jit+compilation=debug:file={}:tn,tg", log.display());
        let collect = |options: &[&str]| {
            workspace.collect_launched(&["-q", "-f", "-o", "a.whittle"], &jdk, options);
            notes(&workspace)
        };
        let deoptimized = collect(&[&logged, "whittle.workloads.truth.Assumptions", "5"]);
        assert_eq!(deoptimized, ["repeated-deoptimization"], "JDK {}", jdk.version);
        let (_, events) = collected(&workspace, JvmEventKind::Deoptimization);
        assert_eq!(events.len(), given_up(&std::fs::read_to_string(&log).unwrap()), "JDK {}", jdk.version);
        let small = collect(&["-Xmx300m", "-Xmn24m", "-XX:+UseParallelGC", GENERATIONS, "20", "40", "5"]);
        assert_eq!(small, ["collector-falls-behind", "early-promotion"], "JDK {}", jdk.version);
        waits_for_the_collector(&workspace, jdk.version);
        let healthy = collect(&["-Xmx300m", GENERATIONS, "20", "1", "5"]);
        assert!(healthy.is_empty(), "JDK {}: {healthy:?}", jdk.version);
    }
}

/// A whittle that is killed leaves a log in the JVM. The next whittle ends it.
#[test]
fn the_log_of_a_killed_whittle_is_ended_by_the_next_one() {
    let Some(jdk) = jdks().into_iter().next() else { return };
    let workspace = Workspace::new();
    let program = Running::workload(&jdk, &["-Xmx32m"], &[PROGRAM, "--cycles", "1000000000"]);
    let pid = program.pid();
    let outputs = log_outputs(&jdk, &pid);
    let mut killed = whittle_command(&["collect", "-q", "-p", &pid, "-d", "60s", "-o", "b.whittle"]);
    let mut killed = killed.current_dir(workspace.path("")).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(log_outputs(&jdk, &pid).contains("/tmp/whittle-"), "{}", log_outputs(&jdk, &pid));
    let next = workspace.whittle(&["collect", "-q", "--take-over", "-p", &pid, "-d", "1s", "-o", "a.whittle"]);
    assert!(next.status.success(), "{}", stderr(&next));
    assert_eq!(log_outputs(&jdk, &pid), outputs);
}
