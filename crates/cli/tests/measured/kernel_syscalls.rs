//! Compares whittle's exact counts of system calls with a program that counts its own calls.

use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{Workspace, number, printed, whittle_command};
use whittle_model::FileKind;
use whittle_testkit::{native_workload, workloads_class_path};

const PROGRAM: &[&str] = &["whittle.workloads.truth.ExactCalls"];

/// Counts calls, errors and bytes of the thread `exact-calls`, for one system call and for files that `is_wanted`
/// selects.
fn counted(collected: &Collected, call: &str, is_wanted: impl Fn(&str, FileKind) -> bool) -> [u64; 3] {
    let (calls, files) = (&collected.tables.syscalls, &collected.tables.files);
    let thread = collected.thread("exact-calls");
    let is_of = |row: &usize| {
        let file = calls.file[*row].row();
        calls.thread[*row] == thread && calls.name[*row] == call && is_wanted(&files.path[file], files.kind[file])
    };
    (0..calls.name.len()).filter(is_of).fold([0; 3], |[count, errors, bytes], row| {
        [count + calls.calls_count[row], errors + calls.errors_count[row], bytes + calls.bytes[row]]
    })
}

#[test]
fn calls_bytes_and_errors_are_the_programs_own() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let output = workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, PROGRAM);
        let collected = Collected::read(&workspace, "a.whittle");
        let what = format!("JDK {}", jdk.version);
        let expected =
            |call: &str| ["calls", "errors", "bytes"].map(|key| printed(&output, &format!("call={call} "), key) as u64);
        // The file no longer exists, but it existed when its name was read.
        let is_file = |path: &str, kind| kind == FileKind::Regular && path.contains("whittle-exact-calls-");
        let is_full = |path: &str, kind| kind == FileKind::CharDevice && path == "/dev/full";
        let [writes, reads] = ["write", "read"].map(|call| counted(&collected, call, is_file));
        assert_eq!(writes, expected("write"), "{what}: {:?}", collected.tables.files.path);
        // The read at the end of the file is also a call, but has no bytes.
        assert_eq!(reads, expected("read"), "{what}");
        assert_eq!(counted(&collected, "write", is_full), expected("failing_write"), "{what}");
        assert!(writes[0] >= 3_000_000, "{what}: {writes:?}");
    }
}

/// A signal can end a call with EINTR, or the kernel repeats the call. The counts are those of the program.
#[test]
fn interrupted_calls_are_counted_as_the_program_sees_them() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let output = workspace.collect_native(&["-q", "-o", "a.whittle"], "interrupted", &[]);
    let collected = Collected::read(&workspace, "a.whittle");
    let (calls, files) = (&collected.tables.syscalls, &collected.tables.files);
    for call in ["read", "poll", "nanosleep", "recvfrom", "futex"] {
        // The loader reads libraries.
        let is_of = |row: &usize| {
            calls.name[*row] == call && (call != "read" || files.kind[calls.file[*row].row()] == FileKind::Pipe)
        };
        let counted = (0..calls.name.len())
            .filter(is_of)
            .fold([0; 2], |[count, errors], row| [count + calls.calls_count[row], errors + calls.errors_count[row]]);
        let expected = ["calls", "errors"].map(|key| printed(&output, &format!("call={call} "), key) as u64);
        assert_eq!(counted, expected, "{call}");
    }
}

/// The profiler leaves a handler with a jump, and its own handler with a return. Afterwards, the thread's calls are
/// counted as before.
#[test]
fn calls_are_counted_after_a_jump_out_of_a_handler() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let java = jdk.java();
        let class_path = workloads_class_path();
        let jumps = workspace.path("jumps");
        let collect = ["collect", "-q", "-o", "a.whittle", "--", java.to_str().unwrap(), "-cp", &class_path];
        let mut command = whittle_command(&[&collect, PROGRAM].concat());
        command.env("LD_PRELOAD", native_workload("libjump_in_handler.so")).env("JUMPS_FILE", &jumps);
        let output = command.current_dir(workspace.path("")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let output = String::from_utf8(output.stdout).unwrap();
        let jumps_count = printed(&std::fs::read_to_string(&jumps).unwrap(), "jumps", "jumps");
        assert!(jumps_count > 0.0, "the profiler's handler did not call the library");
        let collected = Collected::read(&workspace, "a.whittle");
        let is_file = |path: &str, kind| kind == FileKind::Regular && path.contains("whittle-exact-calls-");
        let expected = ["calls", "errors", "bytes"].map(|key| printed(&output, "call=write ", key) as u64);
        assert_eq!(counted(&collected, "write", is_file), expected, "JDK {}, {jumps_count} jumps", jdk.version);
    }
}

/// A tick inside a call must not interrupt the call, also if only CPU time is sampled. The engine `cpu` shows that signals can
/// interrupt these calls.
#[test]
fn the_samples_interrupt_no_call() {
    for jdk in kernel_jdks() {
        let interrupted = |options: &[&str]| {
            let workspace = Workspace::new();
            let file = workspace.path("interrupted");
            let library = native_workload("libcount_interrupted.so");
            let counter = format!("-agentpath:{}={}", library.display(), file.display());
            let options = [&["-q", "-o", "a.whittle", "--interval", "1ms"], options].concat();
            let program = [&counter, "whittle.workloads.truth.Spin", "--seconds", "3"];
            workspace.collect_launched(&options, &jdk, &program);
            let counts = std::fs::read_to_string(&file).unwrap();
            ["nanosleep", "ppoll"]
                .map(|call| printed(&counts, &format!("call={call} "), "interrupted"))
                .iter()
                .sum::<f64>()
        };
        assert!(interrupted(&["--engine", "cpu", "--events", "cpu"]) > 0.0, "JDK {}", jdk.version);
        for events in ["cpu", "cpu,off_cpu,syscalls"] {
            let count = interrupted(&["--engine", "kernel", "--events", events]);
            assert_eq!(count, 0.0, "JDK {}, events {events}", jdk.version);
        }
    }
}

/// The view shows the same values, and also latencies.
#[test]
fn the_view_has_the_same_figures() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = [PROGRAM, &["--writes", "300000", "--reads", "100000"]].concat();
        let output = workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
        let view =
            workspace.json(&["syscalls", "a.whittle", "--by", "call,file", "--filter", "thread = \"exact-calls\""]);
        let rows = view["rows"].as_array().unwrap();
        let row_of = |call: &str, file: &str| {
            let has_file = |row: &&serde_json::Value| row["file"].as_str().is_some_and(|path| path.contains(file));
            rows.iter()
                .find(|row| row["call"] == call && has_file(row))
                .unwrap_or_else(|| panic!("no {call} {file}: {view}"))
        };
        let written = row_of("write", "whittle-exact-calls-");
        for key in ["calls", "bytes"] {
            let expected = printed(&output, "call=write ", key);
            assert_eq!(number(&written[if key == "calls" { "calls_count" } else { key }]), expected, "{written}");
        }
        assert_eq!(number(&written["bytes_per_call"]), 16.0);
        let (p50, p99) = (number(&written["p50_latency_ns"]), number(&written["p99_latency_ns"]));
        assert!(0.0 < p50 && p50 <= p99, "{written}");
        let refused = row_of("write", "/dev/full");
        assert_eq!(number(&refused["errors_count"]), printed(&output, "call=failing_write ", "errors"), "{refused}");
    }
}
