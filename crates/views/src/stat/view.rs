//! The types of the answer.

use serde::Serialize;
use whittle_model::{ExitStatus, ThreadClass};
use whittle_profile::query::Preamble;
use whittle_profile::thread_times::ReasonTime;

/// The answer of [`stat`](super::stat()).
#[derive(Debug, Clone, Serialize)]
pub struct StatView {
    /// The view's name, and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The command line. Empty if unknown.
    pub command: Vec<String>,
    /// How the program ended. Missing if the program is still running, or if unknown.
    pub exit: Option<ExitStatus>,
    /// Number of CPUs of the machine. Missing if unknown.
    pub cpu_count: Option<u32>,
    /// Elapsed time.
    pub real_ns: u64,
    /// CPU time in user mode. Missing if unknown.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel. Missing if unknown.
    pub system_ns: Option<u64>,
    /// User CPU as a share of elapsed time × number of CPUs. Missing if unknown.
    pub user_ratio: Option<f64>,
    /// System CPU as a share of elapsed time × number of CPUs. Missing if unknown.
    pub system_ratio: Option<f64>,
    /// CPU time by kind of thread, the largest first. The times are exact if possible, otherwise from samples.
    pub cpu_by_class: Vec<ClassCpu>,
    /// Memory, allocation, garbage collection, switches, faults.
    #[serde(flatten)]
    pub resources: StatResources,
    /// System calls. Missing if not counted.
    pub syscalls: Option<StatSyscalls>,
    /// Number of work threads with known states.
    pub work_threads_count: u64,
    /// Blocked time of the work threads by reason, the largest first.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Time in which the work threads could execute but no CPU was free. Missing if not measured.
    pub run_queue_ns: Option<u64>,
    /// Work that the program reported.
    pub units_of_work: Vec<UnitRate>,
    /// Counters read while the program ran.
    pub counters: Vec<CounterSummary>,
    /// Number of samples.
    pub samples_count: u64,
    /// The recommended next step.
    pub advice: Advice,
}

/// CPU time of all threads of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassCpu {
    /// Kind of work.
    pub class: ThreadClass,
    /// CPU time of these threads.
    pub cpu_ns: u64,
    /// Share of all threads' CPU time.
    pub ratio: f64,
}

/// Resources other than CPU time, with rates per second of elapsed time.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StatResources {
    /// Largest resident memory. Missing if not measured.
    pub peak_rss_bytes: Option<u64>,
    /// Mean resident memory. Missing if not measured.
    pub mean_rss_bytes: Option<u64>,
    /// Bytes allocated on the Java heap, estimated from samples. Missing if not measured.
    pub allocated_bytes: Option<u64>,
    /// Allocated bytes per second.
    pub allocated_bytes_per_second: Option<f64>,
    /// Objects created on the Java heap, estimated from samples. Missing if not measured.
    pub allocated_objects_count: Option<u64>,
    /// Created objects per second.
    pub allocated_objects_per_second: Option<f64>,
    /// Garbage collections. Missing if not measured.
    pub gc_count: Option<u64>,
    /// Elapsed time of garbage collections. Missing if not measured.
    pub gc_ns: Option<u64>,
    /// Elapsed time of garbage collections as a share of the elapsed time.
    pub gc_ratio: Option<f64>,
    /// Context switches because the thread waited. Missing if not measured.
    pub voluntary_switches: Option<u64>,
    /// Context switches because another thread took the CPU. Missing if not measured.
    pub involuntary_switches: Option<u64>,
    /// Context switches of both kinds per second.
    pub switches_per_second: Option<f64>,
    /// Page faults without disk access. Missing if not measured.
    pub minor_faults: Option<u64>,
    /// Page faults with disk access. Missing if not measured.
    pub major_faults: Option<u64>,
}

/// System calls of all threads.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatSyscalls {
    /// Number of calls.
    pub calls_count: u64,
    /// Number of calls per second.
    pub calls_per_second: Option<f64>,
    /// Number of calls that returned an error.
    pub errors_count: u64,
    /// Bytes that the calls moved.
    pub bytes: u64,
    /// Mean bytes per call, of the calls that move bytes. Missing if there are no such calls.
    pub bytes_per_call: Option<f64>,
    /// Total elapsed time in the calls of all threads.
    pub duration_ns: u64,
    /// The calls with the most time.
    pub top_by_time: Vec<StatCall>,
}

/// One system call, with the sums of all threads and files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatCall {
    /// Name of the system call.
    pub call: String,
    /// Number of calls.
    pub calls_count: u64,
    /// Number of calls per second.
    pub calls_per_second: Option<f64>,
    /// Mean bytes per call. Missing if the calls moved no bytes.
    pub bytes_per_call: Option<f64>,
    /// Elapsed time.
    pub duration_ns: u64,
}

/// Work and its rate.
#[derive(Debug, Clone, Serialize)]
pub struct UnitRate {
    /// The unit, for example `documents`.
    pub name: String,
    /// The number of units.
    pub amount: f64,
    /// Units per second.
    pub per_second: Option<f64>,
    /// The source of the number.
    pub source: String,
}

/// A counter that was read several times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterSummary {
    /// Name of the counter.
    pub counter: String,
    /// Number of readings.
    pub readings_count: u64,
    /// Mean of the readings.
    pub mean: f64,
    /// The smallest reading.
    pub smallest: f64,
    /// The largest reading.
    pub largest: f64,
    /// The first reading.
    pub first: f64,
    /// The last reading.
    pub last: f64,
}

/// The recommended next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The name of the rule that gave the advice, for programs.
    pub rule: &'static str,
    /// One sentence, with a command.
    pub text: String,
}
