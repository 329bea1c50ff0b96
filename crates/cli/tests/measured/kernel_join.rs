//! Checks that each stack is joined with the right event. Two callers alternate, and write different numbers of bytes.
//!
//! `oddCaller` writes 1 byte and `evenCaller` writes 512 bytes, alternately, on one descriptor. If a call had the stack
//! of another call, a caller would have bytes that it never wrote.

use crate::goals::GOAL_COVERAGE_ERROR;
use crate::hypotheses::callers;
use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{self, Workspace, assert_near, printed};
use crate::tolerance;
use whittle_model::{EventKind, LossReason, StackIndex};
use whittle_testkit::Jdk;

const PROGRAM: &str = "whittle.workloads.truth.AlternatingCallers";
const ODD: &str = ".oddCaller(";
const EVEN: &str = ".evenCaller(";
/// The bytes of each caller's writes.
const SIZES: [(&str, u64); 2] = [(ODD, 1), (EVEN, 512)];

fn collect(jdk: &Jdk, options: &[&str]) -> (Collected, String) {
    let workspace = Workspace::new();
    let options = [&["-q", "-o", "a.whittle"], options].concat();
    let output = workspace.collect_launched(&options, jdk, &[PROGRAM, "--threads", "16", "--seconds", "5"]);
    (Collected::read(&workspace, "a.whittle"), output)
}

/// Which of the two callers a stack shows.
fn caller(collected: &Collected, stack: StackIndex) -> Option<&'static str> {
    let names = collected.names(stack);
    [ODD, EVEN].into_iter().find(|caller| names.iter().any(|name| name.contains(caller)))
}

/// Sampled calls of 1 or 512 bytes: the amount below the right caller, and the amount below the wrong caller.
struct Amounts {
    right: f64,
    wrong: f64,
    right_bytes: f64,
    wrong_bytes: f64,
}

/// Each sampled call has a number of bytes. This number identifies the call's caller.
fn amounts(collected: &Collected) -> Amounts {
    let calls = &collected.tables.sampled_calls;
    let mut amounts = Amounts { right: 0.0, wrong: 0.0, right_bytes: 0.0, wrong_bytes: 0.0 };
    let is_write = |row: &usize| collected.tables.syscalls.name[calls.syscall[*row].row()] == "write";
    for row in (0..calls.stack.len()).filter(is_write) {
        let Some(caller) = caller(collected, calls.stack[row]) else { continue };
        let is_right = SIZES.contains(&(caller, calls.bytes[row]));
        let (count, bytes) = (calls.count[row] as f64, (calls.count[row] * calls.bytes[row]) as f64);
        let [sum, sum_bytes] = if is_right {
            [&mut amounts.right, &mut amounts.right_bytes]
        } else {
            [&mut amounts.wrong, &mut amounts.wrong_bytes]
        };
        *sum += count;
        *sum_bytes += bytes;
    }
    amounts
}

/// One of this many signals is lost on purpose.
const DROP_EVERY: &str = "5";
const DROPPED_RATIO: f64 = 1.0 / 5.0;

#[test]
fn lost_signals_put_no_amount_on_the_wrong_caller() {
    for jdk in kernel_jdks() {
        let (collected, output) =
            collect(&jdk, &["--drop-every", DROP_EVERY, "--events", "syscalls=300,io_bytes=100k"]);
        let what = format!("JDK {}", jdk.version);
        let calls = &collected.tables.sampled_calls;
        let lost = |stack: &&StackIndex| collected.missing(**stack) == LossReason::Unanswered;
        let samples = calls.stack.len() as f64;
        let unanswered = calls.stack.iter().filter(lost).count() as f64 / samples;
        // The profiler also does not answer some of the other signals.
        let least = tolerance::least(DROPPED_RATIO, samples);
        assert!(
            (least..callers::ONE_OF_FIVE_LOST_OR_MOST).contains(&unanswered),
            "{what}: {unanswered:.4} of {samples} signals are unanswered, at least {least:.4}"
        );

        let Amounts { right, wrong, right_bytes, wrong_bytes } = amounts(&collected);
        let (calls, bytes) = (wrong / (right + wrong), wrong_bytes / (right_bytes + wrong_bytes));
        eprintln!("{what}: wrong of the calls {calls:.5}, of the bytes {bytes:.5}, unanswered {unanswered:.3}");
        let joined = right / printed(&output, "total", "calls");
        assert!(joined > callers::JOINED_OR_LEFT_OUT, "{what}: {joined:.3} of the calls are below their caller");
        let most = callers::JOINED_BY_EPOCH_OR_BY_TIME;
        assert!(calls <= most && bytes <= most, "{what}: {wrong} of {right} calls, {wrong_bytes} bytes");

        // In the samples of bytes, the odd caller wrote 1 of 513 bytes.
        let odd = collected.weight(EventKind::SyscallBytes, |stack| caller(&collected, stack) == Some(ODD));
        let even = collected.weight(EventKind::SyscallBytes, |stack| caller(&collected, stack) == Some(EVEN));
        eprintln!("{what}: io_bytes of odd callers {:.5}", odd / (odd + even));
        let samples = collected.samples(EventKind::SyscallBytes).count() as f64;
        let most = 1.0 / 513.0 + tolerance::share(1.0 / 513.0, samples);
        assert!(odd / (odd + even) <= most, "{what}: {odd} of {even} bytes, {samples} samples");
    }
}

#[test]
fn calls_and_bytes_per_call_are_those_of_each_caller() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let options = ["-q", "-o", "a.whittle", "--events", "syscalls=200"];
        let program = [PROGRAM, "--threads", "16", "--seconds", "5"];
        let output = workspace.collect_launched(&options, &jdk, &program);
        let collected = Collected::read(&workspace, "a.whittle");
        let what = format!("JDK {}", jdk.version);
        let [odd, even] = [ODD, EVEN]
            .map(|wanted| collected.weight(EventKind::Syscall, |stack| caller(&collected, stack) == Some(wanted)));
        let (found, samples) = (odd / (odd + even), collected.tables.sampled_calls.stack.len() as f64);
        eprintln!("{what}: {found:.4} of the calls by the odd caller, of {samples} samples");
        assert!((found - 0.5).abs() <= tolerance::share(0.5, samples), "{what}: {found:.4}");
        assert_calls_have_a_caller_or_no_stack(&what, &collected, odd + even, printed(&output, "total", "calls"));
        for (name, size) in SIZES {
            let rows = workspace.json(&["syscalls", "a.whittle", "--by", "call,caller"]);
            let rows = rows["rows"].as_array().unwrap();
            let is_of = |row: &&serde_json::Value| row["caller"].as_str().is_some_and(|found| found.contains(name));
            let row = rows.iter().find(|row| row["call"] == "write" && is_of(row)).unwrap();
            // All calls of a caller write the same number of bytes, so their mean is this number.
            let bytes_per_call = support::number(&row["bytes_per_call"]);
            assert_near(&format!("{what} {name}"), bytes_per_call, size as f64, tolerance::ROUNDING);
        }
    }
}

/// Asserts that the calls below one of the two callers, and the calls without a complete stack, are together all calls
/// of the program. `known` is the sampled number of calls below a caller, and `made` the program's own count.
fn assert_calls_have_a_caller_or_no_stack(what: &str, collected: &Collected, known: f64, made: f64) {
    let all: u64 = collected.tables.syscalls.calls_count.iter().sum();
    let without = collected.weight(EventKind::Syscall, |stack| !collected.is_rooted(stack));
    let samples = collected.samples(EventKind::Syscall).count() as f64;
    // The JVM makes the rest of the calls.
    let expected = made / all as f64;
    let chance = tolerance::share(expected, samples) / expected;
    let (found, most) = (known / made, (known + without) / made);
    eprintln!("{what}: {found:.4} of the calls are below a caller, {:.4} have no stack, ± {chance:.4}", most - found);
    let missing = collected.missing_by_reason();
    assert!(
        found <= 1.0 + chance && most >= 1.0 - chance,
        "{what}: {found:.4} to {most:.4}, ± {chance:.4}, {missing:?}"
    );
    assert!(found > callers::ANSWERED_OR_ONE_OF_FIVE_LOST, "{what}: {found:.4} {missing:?}");
}

/// A copied stack needs no signal.
#[test]
fn a_native_programs_callers_have_what_they_spent() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let (interval, interval_ns) = ("1ms", 1e6);
    let options = ["-q", "-o", "a.whittle", "--interval", interval, "--drop-every", DROP_EVERY];
    let output = workspace.collect_native(&options, "spin_two_callers", &["--seconds", "4"]);
    let collected = Collected::read(&workspace, "a.whittle");
    let of = |caller: &str| {
        collected.weight(EventKind::Cpu, |stack| {
            let names = collected.names(stack);
            names
                .iter()
                .position(|name| name.starts_with("leaf"))
                .is_some_and(|leaf| names[leaf + 1].starts_with(caller))
        })
    };
    let (heavy, light) = (of("heavy_caller"), of("light_caller"));
    let (found, expected) = (heavy / (heavy + light), printed(&output, "total", "heavy_ratio"));
    // If the program hardly gets a CPU, it has few samples.
    let samples = collected.samples(EventKind::Cpu).count();
    let tolerance = tolerance::share(expected, samples as f64);
    assert!((found - expected).abs() <= tolerance, "{found:.4} of {samples} samples, not {expected:.4}");
    let (all, of_caller) = (printed(&output, "total", "cpu_ns"), |line| printed(&output, line, "cpu_ns"));
    let below_callers = of_caller("caller=heavy_caller ") + of_caller("caller=light_caller ");
    let gaps = GOAL_COVERAGE_ERROR + tolerance::clock_reads(all, below_callers);
    let tolerance = tolerance::time(below_callers, interval_ns, gaps);
    assert_near("below both callers", heavy + light, below_callers, tolerance);
}
