//! Failures while the kernel-driven engine collects. The program continues normally, and whittle reports lost samples.

use crate::goals::{GOAL_CLOSURE, GOAL_ROOTED};
use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{Running, SLOW, Workspace, number, printed, program_of, signal, stderr, whittle_command};
use crate::{hypotheses, tolerance};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use whittle_model::{EventKind, LossReason, State};
use whittle_testkit::{Jdk, any_jdk, not_run, workloads_class_path};

/// The user `nobody` of every Linux.
const NOBODY: u32 = 65534;
/// Bit of SIGPROF in the masks of `/proc/PID/status`.
const SIGPROF_BIT: u64 = 1 << 26;

/// True if a SIGPROF is pending for any thread of the process.
fn has_pending_sigprof(pid: &str) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    tasks.filter_map(|task| std::fs::read_to_string(task.path().join("status")).ok()).any(|status| {
        let masks = status.lines().filter(|line| line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"));
        masks
            .filter_map(|line| line.split_whitespace().nth(1))
            .any(|mask| u64::from_str_radix(mask, 16).unwrap_or(0) & SIGPROF_BIT != 0)
    })
}

/// CPU time of a process, from the scheduler's counts for its threads.
fn cpu_ns(pid: &str) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let texts = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    texts.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok()).sum()
}

/// Asserts that the process works and that no SIGPROF is pending.
fn assert_goes_on(pid: &str) {
    std::thread::sleep(Duration::from_millis(500));
    let before = cpu_ns(pid);
    for _ in 0..20 {
        assert!(!has_pending_sigprof(pid), "a SIGPROF is pending");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(cpu_ns(pid) > before + 50_000_000, "the program stands still");
}

/// Asserts that a killed collection is incomplete, and has all data except for the last seconds.
fn assert_incomplete(workspace: &Workspace) {
    let collected = Collected::read(workspace, "a.whittle");
    assert_eq!(collected.manifest.state, State::Incomplete);
    let samples = &collected.tables.samples;
    let with_java = samples.stack.iter().filter(|stack| collected.has_java(**stack)).count();
    let is_kept = with_java >= hypotheses::PARTS_KEPT_OR_LOST;
    assert!(is_kept, "{with_java} of {} samples have a Java stack", samples.stack.len());
    let noted = stderr(&workspace.whittle(&["overview", "a.whittle"]));
    assert!(noted.contains("incomplete"), "{noted}");
}

#[test]
fn a_killed_whittle_leaves_an_attached_jvm_in_peace() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
        let mut whittle = whittle_command(&["collect", "-q", "-p", &program.pid(), "-o", "a.whittle"]);
        let mut whittle = whittle.current_dir(workspace.path("")).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(8));
        whittle.kill().unwrap();
        whittle.wait().unwrap();
        assert_goes_on(&program.pid());
        assert_incomplete(&workspace);
    }
}

#[test]
fn a_killed_whittle_leaves_a_launched_jvm_in_peace() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let workspace = Workspace::new();
    let java = jdk.java();
    let class_path = workloads_class_path();
    let launch = ["--", java.to_str().unwrap(), "-cp", &class_path, SLOW, "--seconds", "14"];
    let mut whittle = Command::new(env!("CARGO_BIN_EXE_whittle"));
    whittle.args(["collect", "-q", "-o", "a.whittle"]).args(launch).current_dir(workspace.path(""));
    let mut whittle = whittle.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(9));
    let pid = program_of(whittle.id());
    whittle.kill().unwrap();
    whittle.wait().unwrap();
    assert_goes_on(&pid);
    assert_incomplete(&workspace);
    let deadline = Instant::now() + Duration::from_secs(30);
    while Path::new(&format!("/proc/{pid}")).exists() {
        assert!(Instant::now() < deadline, "the program does not come to its end");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_program_that_ends_or_is_killed_ends_the_collection() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    for is_killed in [false, true] {
        let workspace = Workspace::new();
        let seconds = if is_killed { "60" } else { "5" };
        let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", seconds]);
        let mut whittle = whittle_command(&["collect", "-q", "-p", &program.pid(), "-o", "a.whittle"]);
        let mut whittle = whittle.current_dir(workspace.path("")).spawn().unwrap();
        if is_killed {
            std::thread::sleep(Duration::from_secs(8));
            program.0.kill().unwrap();
            program.0.wait().unwrap();
        }
        // Waits until this process has read the program's exit status. Until then, the ended program still has a
        // process.
        while program.is_alive() {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(whittle.wait().unwrap().success(), "killed: {is_killed}");
        let collected = Collected::read(&workspace, "a.whittle");
        assert_eq!(collected.manifest.state, State::Complete, "killed: {is_killed}");
        let samples = collected.samples(EventKind::Cpu).count();
        assert!(samples > hypotheses::RUN_SAMPLED_OR_NOT, "killed: {is_killed}: {samples} samples");
    }
}

/// A lock for tests that use all CPUs and for tests that need free CPUs.
static CPUS: Mutex<()> = Mutex::new(());

fn take_cpus() -> MutexGuard<'static, ()> {
    CPUS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of a run. Each call of the program was an event, and whittle was stopped for some time.
struct Flood {
    /// The program's output.
    output: String,
    collected: Collected,
    /// Writes per second while whittle was stopped, counted by the kernel.
    writes_per_s: f64,
    /// Number of writes while whittle was stopped.
    unread_writes: u64,
    /// The peak memory of whittle.
    peak_bytes: f64,
}

/// A call causes three events: one for the call, one for its bytes, one for its time.
const ALL_OF_CALLS: &str = "syscalls=1,io_bytes=1,syscall_time=1ns";
const EVENTS_PER_CALL: u64 = 3;
/// How long whittle is stopped, a few seconds after its start.
const STANDSTILL: Duration = Duration::from_secs(3);

/// The number after `key` in a file of a process in `/proc`.
fn proc_number(pid: &str, file: &str, key: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(key));
    value.and_then(|value| value.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Number of writes that the child processes of a whittle have made.
fn writes_of_children(pid: &str) -> u64 {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().map(|child| proc_number(child, "io", "syscw:")).sum()
}

/// Collects threads that write to `/dev/null` for 7 s.
fn flood(jdk: &Jdk, workspace: &Workspace, (threads, options): (&str, &[&str])) -> Flood {
    let _cpus = take_cpus();
    let (java, class_path) = (jdk.java(), workloads_class_path());
    let launch = ["--", java.to_str().unwrap(), "-cp", &class_path];
    let program = ["whittle.workloads.truth.AlternatingCallers", "--threads", threads, "--seconds", "7"];
    let mut whittle = Command::new(env!("CARGO_BIN_EXE_whittle"));
    whittle
        .args(["collect", "-q", "-o", "a.whittle", "--events", ALL_OF_CALLS])
        .args(options)
        .args(launch)
        .args(program);
    whittle.current_dir(workspace.path("")).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut whittle = whittle.spawn().unwrap();
    let pid = whittle.id().to_string();
    std::thread::sleep(Duration::from_secs(3));
    signal(&pid, "STOP");
    let (start, writes_before) = (Instant::now(), writes_of_children(&pid));
    std::thread::sleep(STANDSTILL);
    let unread_writes = writes_of_children(&pid) - writes_before;
    let writes_per_s = unread_writes as f64 / start.elapsed().as_secs_f64();
    signal(&pid, "CONT");
    let mut peak_bytes = 0;
    while whittle.try_wait().unwrap().is_none() {
        peak_bytes = proc_number(&pid, "status", "VmHWM:").max(peak_bytes);
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = whittle.wait_with_output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    let collected = Collected::read(workspace, "a.whittle");
    Flood { output, collected, writes_per_s, unread_writes, peak_bytes: peak_bytes as f64 * 1024.0 }
}

/// Number of lost records. They did not fit into the ring buffer.
fn lost_records(collected: &Collected) -> u64 {
    let lost = collected.manifest.losses.iter().find(|loss| loss.reason == LossReason::EventsOverflow);
    lost.map_or(0, |loss| loss.count)
}

/// Number of records that became samples, plus the number of lost records of any kind.
fn offered_records(collected: &Collected) -> u64 {
    collected.tables.samples.stack.len() as u64 + lost_records(collected)
}

/// Asserts that the exact table has the calls and bytes that the program printed. Returns the number of calls.
fn assert_exact(flood: &Flood) -> u64 {
    let tables = &flood.collected.tables;
    let (calls, threads) = (&tables.syscalls, &tables.threads);
    let is_write = |row: &usize| {
        let is_of_program = threads.name[calls.thread[*row].row()].starts_with("alternating-");
        let file = &tables.files.path[calls.file[*row].row()];
        is_of_program && calls.name[*row] == "write" && file == "/dev/null"
    };
    let sum = |column: &[u64]| (0..calls.name.len()).filter(is_write).map(|row| column[row]).sum::<u64>();
    let (counted, bytes) = (sum(&calls.calls_count), sum(&calls.bytes));
    assert_eq!(counted as f64, printed(&flood.output, "total", "calls"));
    assert_eq!(bytes as f64, printed(&flood.output, "total", "bytes"));
    counted
}

#[test]
fn what_overflows_is_counted_and_the_exact_tables_stay_exact() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let flood = flood(&jdk, &Workspace::new(), ("8", &[]));
    let counted = assert_exact(&flood);
    let (offered, lost) = (offered_records(&flood.collected), lost_records(&flood.collected));
    eprintln!("{counted} calls, {offered} records, {lost} lost; whittle had {:.0} MB at most", flood.peak_bytes / 1e6);
    assert!(lost > 0, "{counted} calls, {offered} records");
    // `offered` also includes records that are not about calls.
    assert!(offered >= EVENTS_PER_CALL * counted, "{offered} of {counted} calls");
}

/// More records than this do not fit. The ring buffer has 16 MB, and a call's event needs more than 64 bytes.
const MOST_UNREAD_RECORDS: u64 = (16 << 20) / 64;
/// Waiting records can use 256 MB. Processed records, their copies and rows use the same amount. Measured: up to 1,000
/// MB for any duration.
const MOST_MEMORY_BYTES: f64 = (5 * (256 << 20)) as f64;

/// No signals are sent and no stacks are copied, so the program only makes events: millions per second.
#[test]
fn millions_of_events_a_second_are_delivered_or_counted_as_lost() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let workspace = Workspace::new();
    let flood = flood(&jdk, &workspace, ("2", &["--drop-every", "1"]));
    let counted = assert_exact(&flood);
    let (offered, lost) = (offered_records(&flood.collected), lost_records(&flood.collected));
    let cpu_s = flood.collected.manifest.closure.as_ref().unwrap().exact_cpu_ns as f64 / 1e9;
    eprintln!(
        "{counted} calls, {offered} events, {lost} of them lost: {:.2} M/s while whittle stood still, {:.2} M for each second \
         of the program's CPU; whittle had {:.0} MB at most",
        flood.writes_per_s * EVENTS_PER_CALL as f64 / 1e6,
        offered as f64 / cpu_s / 1e6,
        flood.peak_bytes / 1e6
    );
    // The JVM's own calls are also events. Clock ticks and thread ends are also records.
    let all_calls: u64 = flood.collected.tables.syscalls.calls_count.iter().sum();
    assert!(offered >= EVENTS_PER_CALL * counted, "{offered} of {counted} calls");
    assert!(offered <= EVENTS_PER_CALL * all_calls + all_calls / 50 + 10_000, "{offered} of {all_calls} calls");
    assert!(flood.unread_writes > 0, "{}", flood.output);
    assert!(lost + MOST_UNREAD_RECORDS >= EVENTS_PER_CALL * flood.unread_writes, "{lost} of {}", flood.unread_writes);
    // Measured: 2.4 to 2.9 million per second of CPU time. The number per elapsed second depends on other programs on
    // the machine.
    assert!(offered as f64 / cpu_s > 500_000.0, "{offered} in {cpu_s} s");
    assert!(flood.peak_bytes < MOST_MEMORY_BYTES, "{}", flood.peak_bytes);
    workspace.text(&["overview", "a.whittle"]);
}

/// The program makes only system calls, and every call is an event with a copied stack. Whittle is stopped for a part
/// of this time.
#[test]
fn a_flood_of_events_overflows_and_is_counted() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let flood = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000", "status=none"];
    let options = ["collect", "-q", "-o", "a.whittle", "--events", "syscalls=1", "--"];
    let mut whittle = Command::new(env!("CARGO_BIN_EXE_whittle"));
    whittle.args(options).args(flood).current_dir(workspace.path("")).stdin(Stdio::null()).stderr(Stdio::null());
    let mut whittle = whittle.spawn().unwrap();
    let pid = whittle.id().to_string();
    let wait_for_writes = |count| {
        let deadline = Instant::now() + Duration::from_secs(60);
        while writes_of_children(&pid) < count {
            assert!(Instant::now() < deadline, "{count} writes");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_for_writes(1000);
    signal(&pid, "STOP");
    // There is a read before each write, and both calls have a copied stack. The ring buffer cannot hold this amount of
    // data.
    wait_for_writes(150_000);
    signal(&pid, "CONT");
    assert!(whittle.wait().unwrap().success());
    let collected = Collected::read(&workspace, "a.whittle");
    let calls = &collected.tables.syscalls;
    for call in ["read", "write"] {
        let is_of = |row: &usize| calls.name[*row] == call && calls.bytes[*row] >= 300_000;
        let counted: u64 = (0..calls.name.len()).filter(is_of).map(|row| calls.calls_count[row]).sum();
        assert_eq!(counted, 300_000, "{call}");
    }
    let sampled = collected.tables.sampled_calls.stack.len() as u64;
    let lost = lost_records(&collected);
    eprintln!("{sampled} sampled, {lost} records lost");
    assert!(lost > 0 && sampled + lost >= 600_000, "{sampled} and {lost}");
}

/// Asserts that samples with a complete stack explain the CPU time of a JVM.
fn assert_closure(what: &str, collected: &Collected) {
    let (samples, duration_ns) = (collected.cpu_samples_count(), collected.manifest.duration_ns as f64);
    let least = tolerance::least_closure(GOAL_CLOSURE, samples, duration_ns);
    let (found, manifest) = (collected.closure_ratio(), &collected.manifest);
    assert!(found >= least, "{what}: {found:.4}, at least {least:.4}: {:?} {:?}", manifest.closure, manifest.losses);
}

/// Asserts that the stacks with Java frames explain the CPU time of the threads that execute the program. The JVM's own
/// threads have no Java frames.
fn assert_java_is_explained(what: &str, collected: &Collected) {
    let (samples, duration_ns) = (collected.cpu_samples_count(), collected.manifest.duration_ns as f64);
    let least = tolerance::least_closure(GOAL_CLOSURE, samples, duration_ns);
    let work_ns = collected.work_cpu_ns();
    let java_ns = collected.weight(EventKind::Cpu, |stack| collected.has_java(stack));
    let chance = tolerance::readings(work_ns, collected.tick_ns());
    assert!(java_ns >= (least - chance) * work_ns, "{what}: {java_ns} of {work_ns} ns, at least {least:.4}");
}

/// Asserts that nearly all sampled calls of the threads that execute the program have a Java stack.
fn assert_calls_have_java(what: &str, collected: &Collected) {
    let samples = &collected.tables.samples;
    let (mut with_java, mut all) = (0.0, 0.0);
    for row in collected.samples(EventKind::Syscall).filter(|row| collected.is_of_work(samples.thread[*row])) {
        all += 1.0;
        with_java += if collected.has_java(samples.stack[row]) { 1.0 } else { 0.0 };
    }
    let least = tolerance::least(GOAL_ROOTED, all);
    assert!(with_java >= least * all, "{what}: {with_java} of {all} calls have a Java stack, at least {least:.4}");
}

#[test]
fn a_jvm_in_namespaces_of_its_own_has_its_stacks() {
    let allowed = Command::new("unshare").args(["--pid", "--mount", "--fork", "--mount-proc", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return not_run("needs the right to unshare namespaces");
    }
    let _cpus = take_cpus();
    for jdk in kernel_jdks() {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "--"]);
        command.arg(jdk.java()).args(["-cp", &workloads_class_path(), SLOW, "--seconds", "60"]);
        let outer = Running::plain(command);
        let pid = outer.wait_for_child_jvm();
        let workspace = Workspace::new();
        workspace.text(&["collect", "-q", "-p", &pid, "-d", "4s", "-o", "a.whittle"]);
        let collected = Collected::read(&workspace, "a.whittle");
        let what = format!("JDK {}", jdk.version);
        assert_closure(&what, &collected);
        assert_java_is_explained(&what, &collected);
        assert_calls_have_java(&what, &collected);
    }
}

/// A folder that every user can enter, with a whittle and workloads that every user can use.
fn nobodys_folder(workspace: &Workspace) -> (std::path::PathBuf, std::path::PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    open(&workspace.path(""), 0o777);
    let (whittle, jar) = (workspace.path("whittle"), workspace.path("workloads.jar"));
    std::fs::copy(env!("CARGO_BIN_EXE_whittle"), &whittle).unwrap();
    std::fs::copy(workloads_class_path().split(':').next().unwrap(), &jar).unwrap();
    open(&whittle, 0o755);
    open(&jar, 0o644);
    (whittle, jar)
}

#[test]
fn without_the_right_whittle_falls_back_and_says_in_a_line_how_to_get_it() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let _cpus = take_cpus();
    let workspace = Workspace::new();
    let (whittle, jar) = nobodys_folder(&workspace);
    let mut command = Command::new(whittle);
    command.args(["collect", "-o", "a.whittle", "--"]).arg(jdk.java()).arg("-cp").arg(jar);
    command.args(["whittle.workloads.truth.Spin", "--seconds", "3"]);
    command.uid(NOBODY).gid(NOBODY).current_dir(workspace.path("")).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    let reasons: Vec<&str> = text.lines().filter(|line| line.contains("setcap")).collect();
    assert_eq!(reasons.len(), 1, "{text}");
    let manifest = workspace.manifest("a.whittle");
    assert_ne!(manifest["collectors"][0]["engine"], "kernel", "{manifest}");
    let overview = workspace.json(&["overview", "a.whittle"]);
    let samples = number(&overview["samples_count"]);
    assert!(samples > hypotheses::RUN_SAMPLED_OR_NOT as f64, "{samples} samples");
}

#[test]
fn a_second_collector_is_refused_and_the_first_goes_on() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let workspace = Workspace::new();
    let _cpus = take_cpus();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    let pid = program.pid();
    let mut first = whittle_command(&["collect", "-q", "-p", &pid, "-d", "6s", "-o", "a.whittle"]);
    let mut first = first.current_dir(workspace.path("")).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let second = workspace.whittle(&["collect", "-q", "-p", &pid, "-d", "1s", "-o", "b.whittle"]);
    assert_eq!(second.status.code(), Some(1), "{}", stderr(&second));
    let text = stderr(&second);
    assert_eq!(text.lines().filter(|line| line.contains("error:")).count(), 1, "{text}");
    assert!(text.contains("already"), "{text}");
    assert!(!workspace.path("b.whittle").exists());
    assert!(first.wait().unwrap().success());
    let collected = Collected::read(&workspace, "a.whittle");
    assert_closure("the first collector", &collected);
    assert!(program.is_alive());
}

/// Resident memory of a process in bytes.
fn resident_bytes(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
    text.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}

/// Collects for `seconds` with default settings. Returns whittle's resident memory, measured once per second.
fn soak(jdk: &Jdk, seconds: u64) -> Vec<f64> {
    let workspace = Workspace::new();
    let program = Running::workload(jdk, &[], &[SLOW, "--seconds", &(seconds + 60).to_string()]);
    let duration = format!("{seconds}s");
    let arguments = ["collect", "-q", "-p", &program.pid(), "-d", &duration, "-o", "a.whittle"];
    let mut whittle = Command::new(env!("CARGO_BIN_EXE_whittle"));
    let mut whittle = whittle.args(arguments).current_dir(workspace.path("")).stdin(Stdio::null()).spawn().unwrap();
    let mut sizes = Vec::new();
    while whittle.try_wait().unwrap().is_none() && sizes.len() + 2 < seconds as usize {
        std::thread::sleep(Duration::from_secs(1));
        sizes.push(resident_bytes(whittle.id()));
    }
    assert!(whittle.wait().unwrap().success());
    assert_closure(&format!("JDK {}", jdk.version), &Collected::read(&workspace, "a.whittle"));
    sizes
}

/// The largest size in the second half minus the largest size in the first half, in bytes. A single size varies,
/// because whittle reads a whole recording of the profiler every few seconds.
fn growth(sizes: &[f64]) -> f64 {
    let largest = |sizes: &[f64]| sizes.iter().copied().fold(0.0, f64::max);
    let (first, second) = sizes.split_at(sizes.len() / 2);
    largest(second) - largest(first)
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn memory_is_flat_over_a_short_soak() {
    let (Some(jdk), true) = (any_jdk(), may_use_kernel_engine()) else { return };
    let _cpus = take_cpus();
    let sizes = soak(&jdk, 20);
    eprintln!("{:.0?} MB", sizes.iter().map(|size| size / 1e6).collect::<Vec<_>>());
    assert!(growth(&sizes) < 6e6, "{sizes:?}");
}

#[test]
#[ignore = "takes an hour; cargo test -p whittle --test measured -- --ignored soak"]
fn memory_is_flat_over_an_hours_soak() {
    for jdk in kernel_jdks() {
        let sizes = soak(&jdk, 3600);
        assert!(growth(&sizes) < 10e6, "{sizes:?}");
    }
}

/// CLOCK_MONOTONIC of this JVM is ahead of the machine's clock. The profiler's samples have times of the JVM.
#[test]
fn a_jvm_in_a_time_namespace_has_its_stacks() {
    let unshare = ["--time", "--monotonic", "1000", "--fork", "--kill-child"];
    let allowed = Command::new("unshare").args(unshare).arg("true").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return not_run("needs the right to unshare a time namespace");
    }
    let _cpus = take_cpus();
    for jdk in kernel_jdks() {
        let mut command = Command::new("unshare");
        command.args(unshare).arg(jdk.java()).args(["-cp", &workloads_class_path(), SLOW, "--seconds", "60"]);
        let outer = Running::plain(command);
        let pid = outer.wait_for_child_jvm();
        let workspace = Workspace::new();
        workspace.text(&["collect", "-q", "-p", &pid, "-d", "4s", "-o", "a.whittle"]);
        assert_java_is_explained(&format!("JDK {}", jdk.version), &Collected::read(&workspace, "a.whittle"));
    }
}
