//! Native programs and child processes. Their stacks have the right callers, and no signal of whittle kills the
//! programs.

use crate::goals::{GOAL_CLOSURE, GOAL_CLOSURE_OF_SHORT_THREADS, GOAL_COVERAGE_ERROR};
use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{Running, Workspace, assert_near, printed, stderr};
use crate::{hypotheses, tolerance};
use std::process::Command;
use whittle_model::{Closure, EventKind, LossReason, Table};
use whittle_testkit::not_run;

/// Asserts that samples with a complete stack explain the CPU time. Returns the least closure for this number of samples.
fn assert_explained(collected: &Collected) -> f64 {
    let closure: &Closure = collected.manifest.closure.as_ref().unwrap();
    let least = tolerance::least(GOAL_CLOSURE, collected.cpu_samples_count());
    let losses = &collected.manifest.losses;
    assert!(closure.ratio().unwrap() >= least, "at least {least:.4}: {closure:?} {losses:?}");
    least
}

/// The share of complete stacks with `function` in the exact CPU time.
fn share_of(collected: &Collected, function: &str) -> f64 {
    let of_function = collected.weight(EventKind::Cpu, |stack| {
        collected.is_rooted(stack) && collected.names(stack).iter().any(|name| name.starts_with(function))
    });
    of_function / collected.manifest.closure.as_ref().unwrap().exact_cpu_ns as f64
}

#[test]
fn a_leaf_without_a_frame_has_its_right_caller() {
    if !may_use_kernel_engine() {
        return;
    }
    for (interval, interval_ns) in [("10ms", 1e7), ("1ms", 1e6)] {
        let workspace = Workspace::new();
        let options = ["-q", "-o", "a.whittle", "--interval", interval];
        let output = workspace.collect_native(&options, "spin_two_callers", &["--seconds", "5"]);
        let collected = Collected::read(&workspace, "a.whittle");
        let below = |caller: &str| {
            collected.weight(EventKind::Cpu, |stack| {
                let names = collected.names(stack);
                names.windows(2).any(|pair| pair[0].starts_with("leaf") && pair[1].starts_with(caller))
            })
        };
        let (heavy, light) = (below("heavy_caller"), below("light_caller"));
        let found = heavy / (heavy + light);
        let expected = printed(&output, "total", "heavy_ratio");
        eprintln!("at {interval}: {found:.4}, not {expected:.4}");
        let tolerance = tolerance::share(expected, collected.cpu_samples_count());
        assert!((found - expected).abs() <= tolerance, "at {interval}: {found:.4}, not {expected:.4}");

        // The program measured the time below its two callers. The rest is its loader and the readings of its clock.
        let below_callers: f64 = ["heavy", "light"]
            .map(|caller| printed(&output, &format!("caller={caller}_caller "), "cpu_ns"))
            .iter()
            .sum();
        let all = printed(&output, "total", "cpu_ns");
        let gaps = GOAL_COVERAGE_ERROR + tolerance::clock_reads(all, below_callers);
        let tolerance = tolerance::time(below_callers, interval_ns, gaps);
        assert_near(&format!("at {interval}, below both callers"), heavy + light, below_callers, tolerance);

        let least = assert_explained(&collected) * below_callers / all;
        let found = share_of(&collected, "main");
        assert!(found >= least, "at {interval}: main has {found:.4} of the CPU time, at least {least:.4}");
        assert!(collected.tables.functions.display_name.iter().any(|name| name.starts_with("steps_from")), "inlined");
    }
}

#[test]
fn short_native_threads_are_explained() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let output = workspace.collect_native(&["-q", "-o", "a.whittle"], "threads_short", &["--seconds", "4"]);
    let collected = Collected::read(&workspace, "a.whittle");
    let closure = collected.manifest.closure.as_ref().unwrap();
    let (ratio, coverage) = (closure.ratio().unwrap(), closure.coverage_ratio().unwrap());
    let least = tolerance::least(GOAL_CLOSURE_OF_SHORT_THREADS, collected.cpu_samples_count());
    eprintln!("closure {ratio:.4}, at least {least:.4}, coverage {coverage:.4}");
    assert!(ratio >= least, "at least {least:.4}: {closure:?} {:?}", collected.manifest.losses);
    // It is chance which samples lack their stack. But the weights of all samples add up to the CPU time.
    assert!(coverage >= GOAL_CLOSURE_OF_SHORT_THREADS, "{closure:?} {:?}", collected.manifest.losses);
    let tasks = printed(&output, "tasks=", "tasks");
    assert_exact_cpu_time(&collected, printed(&output, "tasks_cpu_ns", "process_cpu_ns"), tasks);
    let with_cpu = (0..collected.tables.threads.len()).filter(|row| collected.tables.threads.cpu_ns[*row].is_some());
    let threads = with_cpu.map(|row| collected.threads_in(row)).sum::<u64>() as f64;
    assert!(threads >= tasks && threads <= tasks + 2.0, "{threads} threads of {tasks} tasks");
    assert!(collected.tables.threads.len() < 5000, "{} rows", collected.tables.threads.len());
}

/// Asserts that the exact CPU time is the time of the program's own clock. This clock lacks the last moment of each thread.
fn assert_exact_cpu_time(collected: &Collected, own_ns: f64, tasks: f64) {
    let reading = tolerance::last_reading(own_ns, collected.tick_ns());
    let (least, most) = (1.0 - reading, 1.0 + reading + tolerance::ends_of_threads(own_ns, tasks));
    let exact_ns = collected.manifest.closure.as_ref().unwrap().exact_cpu_ns as f64;
    let found = exact_ns / own_ns;
    eprintln!("exact {found:.4} of the program's own clock, from {least:.4} to {most:.4}");
    assert!((least..=most).contains(&found), "{exact_ns} of {own_ns} ns: {found:.4}, not {least:.4} to {most:.4}");
}

#[test]
fn a_program_without_a_handler_survives_and_is_sampled() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let options = ["-q", "-o", "a.whittle", "--interval", "1ms"];
    let output = workspace.collect_native(&options, "default_sigprof", &["--seconds", "2", "--threads", "2"]);
    assert!(output.contains("survived=1"), "{output}");
    let collected = Collected::read(&workspace, "a.whittle");
    assert_explained(&collected);
    let samples_per_interval = collected.cpu_samples_count() / (printed(&output, "survived", "cpu_ns") / 1e6);
    assert!(samples_per_interval > hypotheses::EACH_TICK_OR_LESS, "{samples_per_interval:.3}: {output}");
}

#[test]
fn an_exec_takes_the_handler_with_it_and_nobody_dies() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let options = ["-q", "-o", "a.whittle", "--interval", "1ms"];
    let output = workspace.collect_native(&options, "exec_itself", &["--seconds", "2"]);
    assert!(
        output.contains("stage=first") && output.contains("stage=second") && output.contains("survived=1"),
        "{output}"
    );
    let collected = Collected::read(&workspace, "a.whittle");
    assert_explained(&collected);
    let found = share_of(&collected, "main");
    assert!(found >= hypotheses::BOTH_PROGRAMS_OR_ONE, "main has {found:.3} of the CPU time");
    // Both stages were busy, each for half of the time.
    let samples = &collected.tables.samples;
    let middle = collected.manifest.duration_ns / 2;
    let (early, late): (Vec<usize>, Vec<usize>) =
        collected.samples(EventKind::Cpu).partition(|row| samples.time_ns[*row] < middle);
    let fewest = early.len().min(late.len());
    assert!(fewest > hypotheses::BUSY_PART_SAMPLED_OR_NOT, "{} and {}", early.len(), late.len());
}

#[test]
fn children_without_a_handler_survive_and_are_followed_if_asked_for() {
    for jdk in kernel_jdks() {
        for follow in [&[][..], &["--follow"]] {
            let workspace = Workspace::new();
            let options = [&["-q", "-o", "a.whittle", "--interval", "1ms"], follow].concat();
            let program = ["whittle.workloads.truth.ExecAndChildren", "--seconds", "3"];
            let output = workspace.collect_launched(&options, &jdk, &program);
            let what = format!("JDK {} {follow:?}", jdk.version);
            let last = |key| printed(&output, "children=", key);
            assert_eq!([last("nonzero"), last("killed_by_sigprof")], [0.0, 0.0], "{what}: {output}");
            assert!(last("children") > 3.0, "{what}: {output}");
            let collected = Collected::read(&workspace, "a.whittle");
            let mut processes: Vec<_> = collected.tables.threads.process_id.iter().flatten().collect();
            processes.sort_unstable();
            processes.dedup();
            assert_eq!(processes.len() > 3, !follow.is_empty(), "{what}: {processes:?}");
        }
    }
}

#[test]
fn waits_with_a_timeout_end_when_they_should() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let options = ["-q", "-o", "a.whittle", "--interval", "1ms"];
        // On a busy machine, timeouts can be late without whittle. But early timeouts and errors are whittle's fault.
        let program = ["whittle.workloads.truth.SocketTimeouts", "--seconds", "4", "--tolerance-ms", "3000"];
        let (output, status) = workspace.launch(&options, &jdk, &program);
        assert_eq!(printed(&output, "failures=", "failures"), 0.0, "JDK {}: {output}", jdk.version);
        assert_eq!(status, Some(0), "JDK {}: {output}", jdk.version);
        let collected = Collected::read(&workspace, "a.whittle");
        let waits = collected.samples(EventKind::OffCpu).count();
        assert!(waits > hypotheses::WAITS_SAMPLED_OR_NOT, "JDK {}: {waits}", jdk.version);
    }
}

/// The kernel side observes at most 4096 processes at the same time.
#[test]
fn processes_without_room_are_a_loss_of_their_own() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let script = "i=0; while [ $i -lt 4200 ]; do sleep 60 & i=$((i+1)); done; kill $(jobs -p); wait 2>/dev/null; true";
    workspace.text(&["collect", "-q", "--follow", "-o", "a.whittle", "--", "bash", "-c", script]);
    let losses = Collected::read(&workspace, "a.whittle").manifest.losses;
    let of = |reason: LossReason| losses.iter().find(|loss| loss.reason == reason).map_or(0, |loss| loss.count);
    assert!(of(LossReason::ThreadTableFull) >= 104, "{losses:?}");
    assert!(of(LossReason::ThreadEnded) < 104, "{losses:?}");
}

/// A static program without a C library. It calls `getpid` a thousand times, waits in `pause`, or exits.
const OF_32_BITS: &str = r#"
static int call(int number) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(0) : "memory");
    return result;
}
void _start(void) {
    for (int i = 0; i < 1000; i++)
        call(20);
#ifdef PAUSES
    call(29);
#endif
    call(1);
}
"#;

/// The number of the calls that the program makes: `getpid` and `exit`.
const CALLS_OF_32_BITS: u64 = 1001;

/// Compiles the program. None: this machine cannot compile or run it.
fn program_of_32_bits(workspace: &Workspace, name: &str, flags: &[&str]) -> Option<String> {
    let (source, program) = (workspace.path(&format!("{name}.c")), workspace.path(name));
    std::fs::write(&source, OF_32_BITS).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-m32", "-nostdlib", "-static", "-O1", "-fno-pic", "-no-pie"]).args(flags);
    let is_compiled = compiler.arg("-o").arg(&program).arg(source).output().is_ok_and(|output| output.status.success());
    let is_run =
        is_compiled && flags.is_empty() && Command::new(&program).status().is_ok_and(|status| status.success());
    if is_compiled && (is_run || !flags.is_empty()) {
        return Some(program.to_str().unwrap().to_owned());
    }
    not_run("needs a compiler for 32-bit x86 programs, and a kernel that runs them (CONFIG_IA32_EMULATION)");
    None
}

/// The numbers of 32-bit calls mean other calls, so these calls have no names. Number 20 is `writev` in 64-bit programs.
#[test]
fn calls_of_32_bit_programs_are_a_loss_and_have_no_wrong_names() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let Some(program) = program_of_32_bits(&workspace, "compat", &[]) else { return };
    workspace.text(&["collect", "-q", "--follow", "-o", "a.whittle", "--", "sh", "-c", &format!("{program}; true")]);
    let collected = Collected::read(&workspace, "a.whittle");
    assert_eq!(collected.manifest.losses.count(LossReason::CompatCalls), CALLS_OF_32_BITS);
    let calls = &collected.tables.syscalls;
    let wrong: u64 =
        (0..calls.len()).filter(|row| calls.name[*row] == "writev").map(|row| calls.calls_count[row]).sum();
    assert_eq!(wrong, 0);
}

#[test]
fn a_running_32_bit_program_is_refused() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    if program_of_32_bits(&workspace, "compat", &[]).is_none() {
        return;
    }
    let program = program_of_32_bits(&workspace, "pauses", &["-DPAUSES"]).unwrap();
    let running = Running::plain(Command::new(program));
    std::thread::sleep(std::time::Duration::from_millis(200));
    let output = workspace.whittle(&["collect", "-q", "-p", &running.pid(), "-d", "1s", "-o", "b.whittle"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("32-bit program"), "{}", stderr(&output));
    assert!(!workspace.path("b.whittle").exists());
}
