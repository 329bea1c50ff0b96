//! What the first answer to "does it make sense?" consists of: types only.

use crate::query::Preamble;
use crate::stat_advice::Advice;
use crate::thread_times::ReasonTime;
use serde::Serialize;
use whittle_model::{ExitStatus, ThreadClass};

/// The answer of [`Profile::stat`].
#[derive(Debug, Clone, Serialize)]
pub struct StatView {
    /// The view's name, and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The command line; empty: not known.
    pub command: Vec<String>,
    /// How the program ended. Missing: still running, or not known.
    pub exit: Option<ExitStatus>,
    /// Number of CPUs of the machine. Missing: not known.
    pub cpu_count: Option<u32>,
    /// Elapsed time.
    pub real_ns: u64,
    /// CPU time in user mode. Missing: not known.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel. Missing: not known.
    pub system_ns: Option<u64>,
    /// User CPU as share of elapsed time times CPUs. Missing: not known.
    pub user_ratio: Option<f64>,
    /// System CPU as share of elapsed time times CPUs. Missing: not known.
    pub system_ratio: Option<f64>,
    /// CPU time by kind of thread, the largest first; exact, or from samples where nothing exact is known.
    pub cpu_by_class: Vec<ClassCpu>,
    /// Memory, allocation, garbage collection, switches, faults.
    #[serde(flatten)]
    pub resources: StatResources,
    /// System calls. Missing: not counted.
    pub syscalls: Option<StatSyscalls>,
    /// Number of threads that do the program's work and whose states are known.
    pub work_threads_count: u64,
    /// Why those threads were blocked, the largest first, all threads together.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Time in which those threads were able to execute and no CPU was free. Missing: not measured.
    pub run_queue_ns: Option<u64>,
    /// Work that the program said it did.
    pub units_of_work: Vec<UnitRate>,
    /// Figures read while the program ran.
    pub counters: Vec<CounterSummary>,
    /// Number of samples.
    pub samples_count: u64,
    /// What to look at next.
    pub advice: Advice,
}

/// CPU time of all threads of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassCpu {
    /// Kind of work.
    pub class: ThreadClass,
    /// Their CPU time.
    pub cpu_ns: u64,
    /// Share of all threads' CPU time.
    pub ratio: f64,
}

/// What the program used besides CPU time, with rates per second of elapsed time.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StatResources {
    /// Largest resident memory. Missing: not measured.
    pub peak_rss_bytes: Option<u64>,
    /// Mean resident memory. Missing: not measured.
    pub mean_rss_bytes: Option<u64>,
    /// Bytes allocated on the Java heap, estimated from samples. Missing: not measured.
    pub allocated_bytes: Option<u64>,
    /// That a second.
    pub allocated_bytes_per_second: Option<f64>,
    /// Objects created on the Java heap, estimated from samples. Missing: not measured.
    pub allocated_objects_count: Option<u64>,
    /// That a second.
    pub allocated_objects_per_second: Option<f64>,
    /// Garbage collections. Missing: not measured.
    pub gc_count: Option<u64>,
    /// Elapsed time of garbage collections. Missing: not measured.
    pub gc_ns: Option<u64>,
    /// That as share of elapsed time.
    pub gc_ratio: Option<f64>,
    /// Context switches because the thread waited. Missing: not measured.
    pub voluntary_switches: Option<u64>,
    /// Context switches because another thread took the CPU. Missing: not measured.
    pub involuntary_switches: Option<u64>,
    /// Both a second.
    pub switches_per_second: Option<f64>,
    /// Page faults without disk access. Missing: not measured.
    pub minor_faults: Option<u64>,
    /// Page faults with disk access. Missing: not measured.
    pub major_faults: Option<u64>,
}

/// System calls of all threads.
#[derive(Debug, Clone, Serialize)]
pub struct StatSyscalls {
    /// Number of calls.
    pub calls_count: u64,
    /// That a second.
    pub calls_per_second: Option<f64>,
    /// Calls among them that returned an error.
    pub errors_count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Mean bytes of the calls that move bytes. Missing: there are none.
    pub bytes_per_call: Option<f64>,
    /// Elapsed time in the calls, all threads together.
    pub duration_ns: u64,
    /// The calls with the most time.
    pub top_by_time: Vec<StatCall>,
}

/// One system call, all threads and files together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatCall {
    /// Its name.
    pub call: String,
    /// Number of calls.
    pub calls_count: u64,
    /// That a second.
    pub calls_per_second: Option<f64>,
    /// Mean bytes of a call. Missing: it moved none.
    pub bytes_per_call: Option<f64>,
    /// Elapsed time.
    pub duration_ns: u64,
}

/// Work and its rate.
#[derive(Debug, Clone, Serialize)]
pub struct UnitRate {
    /// The unit, for example `documents`.
    pub name: String,
    /// How many.
    pub amount: f64,
    /// That a second.
    pub per_second: Option<f64>,
    /// Where the figure comes from.
    pub source: String,
}

/// A figure that was read several times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterSummary {
    /// What was read.
    pub counter: String,
    /// Number of readings.
    pub readings_count: u64,
    /// Mean of the readings.
    pub mean: f64,
    /// The smallest.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
    /// The last.
    pub last: f64,
}
