//! Recommends the next step in one sentence. Rules choose this sentence. A reader can check the rules with the values
//! above the sentence.
//!
//! The first rule that applies gives the advice:
//!
//! | rule | applies if | because |
//! |---|---|---|
//! | `small_calls` | system CPU is over 30 % of the CPU time and a call moves under 64 bytes at a time | each call has a fixed cost in the kernel |
//! | `system_cpu` | system CPU is over 30 % of the CPU time | most programs need the kernel less |
//! | `gc` | garbage collections took over 10 % of the elapsed time | less allocation helps more than faster code |
//! | `cpu_quota` | the CPU quota of the control group stopped threads in over 25 % of the time in which they could execute | faster code or a higher quota helps, but more threads do not |
//! | `run_queue` | threads waited for a CPU in over 25 % of the time in which they could execute | faster code of one thread only moves the queue |
//! | `locks` | active threads were blocked by other threads for over half of their time; if lock waits are sampled, Java locks caused at least 10 % of this blocked time | they wait for each other, not for the machine |
//! | `files` | active threads were blocked by files for over half of their time | they wait for the disk |
//! | `idle` | CPU time is under 10 % of the elapsed time and threads wait for input, a socket or a clock | a program without load shows no problem |
//! | `few_samples` | there are under 200 samples | shares of so few samples are unreliable |
//! | `top_function` | there are CPU samples | this function uses the most time |
//! | `overview` | always | |

use crate::stat::top_function::top_function;
use crate::stat::view::{Advice, StatCall};
use whittle_model::{Metric, WaitReason};
use whittle_profile::Profile;
use whittle_profile::amounts::{count, decimal};
use whittle_profile::thread_times::ThreadTimes;

/// The input of the rules.
pub(crate) struct Circumstances<'a> {
    /// The experiment's name in the commands of the advice. Missing if the experiment is not kept.
    pub(crate) experiment: Option<&'a str>,
    pub(crate) real_ns: u64,
    pub(crate) user_ns: Option<u64>,
    pub(crate) system_ns: Option<u64>,
    pub(crate) gc_ratio: Option<f64>,
    pub(crate) syscalls: &'a [StatCall],
    /// Threads that do the program's work.
    pub(crate) work: &'a ThreadTimes,
    /// The work threads with at least 1 % of their time on a CPU.
    pub(crate) active: &'a ThreadTimes,
    /// Waits for Java locks. Missing if not sampled.
    pub(crate) lock_wait_ns: Option<u64>,
    pub(crate) samples_count: u64,
}

/// The advice mentions system CPU if it has a larger share of the CPU time than this.
const SYSTEM_RATIO: f64 = 0.30;
/// If a call moves fewer bytes than this, the call itself costs more than the copying. A call takes 100 ns or more, and
/// copying 64 bytes takes under 10 ns.
const SMALL_BYTES: f64 = 64.0;
/// Small calls are considered if they are at least this share of all calls.
const SMALL_CALL_RATIO: f64 = 0.10;
const GC_RATIO: f64 = 0.10;
const RUN_QUEUE_RATIO: f64 = 0.25;
const BLOCKED_RATIO: f64 = 0.50;
/// The advice treats waits for other threads as lock waits if Java locks cause at least this share of the waiting time.
const LOCK_RATIO: f64 = 0.10;
/// With less CPU time than this share of the elapsed time, the program was idle.
const IDLE_RATIO: f64 = 0.10;
/// With fewer than 200 samples, a function's share of 10 % is known only to ±4 percentage points (two standard
/// deviations).
const FEW_SAMPLES: u64 = 200;

/// The advice of the first rule that applies.
pub(crate) fn advise(profile: &Profile, seen: &Circumstances<'_>) -> Advice {
    let rules: [(&'static str, &dyn Fn() -> Option<String>); 10] = [
        ("small_calls", &|| seen.small_calls()),
        ("system_cpu", &|| seen.system_cpu(profile)),
        ("gc", &|| seen.gc()),
        ("cpu_quota", &|| seen.cpu_quota()),
        ("run_queue", &|| seen.run_queue()),
        ("locks", &|| seen.locks(profile)),
        ("files", &|| seen.files()),
        ("idle", &|| seen.idle()),
        ("few_samples", &|| seen.few_samples()),
        ("top_function", &|| seen.top_function(profile)),
    ];
    let chosen = rules.into_iter().find_map(|(rule, text)| Some(Advice { rule, text: text()? }));
    chosen.unwrap_or_else(|| Advice {
        rule: "overview",
        text: seen.look("Nothing stands out", "overview EXP", "shows what was collected"),
    })
}

impl Circumstances<'_> {
    /// A sentence with an observation, a command and the command's purpose. `EXP` in the command is replaced by the
    /// experiment.
    fn look(&self, what: &str, command: &str, does: &str) -> String {
        let command = command.replacen("EXP", self.experiment.unwrap_or("app.whittle"), 1);
        let first = if self.experiment.is_some() { "" } else { "collect (whittle collect -o app.whittle …), then " };
        format!("{what}: {first}`whittle {command}` {does}.")
    }

    fn cpu_ns(&self) -> f64 {
        self.user_ns.unwrap_or(0) as f64 + self.system_ns.unwrap_or(0) as f64
    }

    fn is_idle(&self) -> bool {
        self.cpu_ns() < IDLE_RATIO * self.real_ns as f64
    }

    /// Share of system CPU, if it is large enough to be mentioned.
    fn large_system_ratio(&self) -> Option<f64> {
        let ratio = self.system_ns? as f64 / self.cpu_ns();
        (ratio > SYSTEM_RATIO && !self.is_idle()).then_some(ratio)
    }

    fn small_calls(&self) -> Option<String> {
        let ratio = self.large_system_ratio()?;
        let all: u64 = self.syscalls.iter().map(|call| call.calls_count).sum();
        let small = self.syscalls.iter().filter(|call| {
            call.bytes_per_call.is_some_and(|bytes| bytes < SMALL_BYTES)
                && call.calls_count as f64 >= SMALL_CALL_RATIO * all as f64
        });
        let call = small.max_by_key(|call| call.calls_count)?;
        let what = format!(
            "System CPU is {} of the CPU time, and {} moves {} bytes per call, {} times per second",
            percent(ratio),
            call.call,
            decimal(call.bytes_per_call?, 1),
            count(call.calls_per_second.unwrap_or(0.0))
        );
        Some(self.look(&what, "syscalls EXP", "shows which functions make these calls"))
    }

    fn system_cpu(&self, profile: &Profile) -> Option<String> {
        let what = format!("System CPU is {} of the CPU time", percent(self.large_system_ratio()?));
        let has_split = profile.manifest().metric(Metric::SystemCpu).is_some();
        Some(match has_split {
            true => self.look(
                &what,
                "functions EXP --metrics e.system_cpu,e.system_cpu%,i.cpu",
                "shows which functions use it",
            ),
            false => self.look(&what, "syscalls EXP --sort time", "shows the system calls"),
        })
    }

    fn gc(&self) -> Option<String> {
        let ratio = self.gc_ratio.filter(|ratio| *ratio > GC_RATIO)?;
        let what = format!("Garbage collections took {} of the elapsed time", percent(ratio));
        Some(self.look(
            &what,
            "functions EXP --metrics e.alloc_bytes,e.alloc_bytes%,i.alloc_bytes",
            "shows which functions allocate",
        ))
    }

    fn cpu_quota(&self) -> Option<String> {
        let ratio = self.work.quota_ns as f64 / (self.work.run_queue_ns as f64 + self.work.cpu_ns() as f64);
        (ratio > RUN_QUEUE_RATIO).then(|| {
            let what = format!(
                "The CPU quota of the control group stopped threads in {} of the time in which they could execute",
                percent(ratio)
            );
            self.look(&what, "timeline EXP", "shows when; raise the quota before you judge latencies")
        })
    }

    fn run_queue(&self) -> Option<String> {
        let waited_ns = self.work.run_queue_ns.saturating_sub(self.work.quota_ns) as f64;
        let ratio = waited_ns / (waited_ns + self.work.cpu_ns() as f64);
        // The ratio is NaN if no times are known.
        (ratio > RUN_QUEUE_RATIO && !self.is_idle()).then(|| {
            let what =
                format!("Threads waited for a free CPU in {} of the time in which they could execute", percent(ratio));
            self.look(
                &what,
                "threads EXP",
                "shows these threads; fewer threads or more CPUs help more than faster code",
            )
        })
    }

    /// The share of active threads' time in which these reasons blocked them. Missing if the share is at most half.
    fn most_time_blocked(&self, reasons: &[WaitReason]) -> Option<f64> {
        let blocked_ns: f64 = reasons.iter().map(|reason| self.active.blocked_ns(*reason) as f64).sum();
        let ratio = blocked_ns / self.active.observed_ns() as f64;
        (ratio > BLOCKED_RATIO).then_some(ratio)
    }

    fn locks(&self, profile: &Profile) -> Option<String> {
        let ratio = self.most_time_blocked(&[WaitReason::Futex])?;
        let what = format!("Active threads waited for other threads {} of their time", percent(ratio));
        let has_locks = profile.manifest().metric(Metric::LockWait).is_some();
        if has_locks && !self.is_mostly_locks() {
            return None;
        }
        let metrics = if has_locks { "i.lock_wait,i.off_cpu_futex" } else { "i.off_cpu_futex" };
        Some(self.look(&what, &format!("functions EXP --metrics {metrics}"), "shows where they wait"))
    }

    /// Whether lock waits are a large part of the waits for other threads. A thread that waits for work also waits for
    /// other threads, but not for a lock.
    fn is_mostly_locks(&self) -> bool {
        let futex_ns = self.active.blocked_ns(WaitReason::Futex) as f64;
        self.lock_wait_ns.unwrap_or(0) as f64 >= LOCK_RATIO * futex_ns
    }

    fn files(&self) -> Option<String> {
        let ratio = self.most_time_blocked(&[WaitReason::File, WaitReason::PageFault])?;
        let what = format!("Active threads waited for files {} of their time", percent(ratio));
        Some(self.look(&what, "syscalls EXP --sort time", "shows the files and the callers"))
    }

    fn idle(&self) -> Option<String> {
        let by_reason = self.work.by_reason();
        let waits = [WaitReason::Poll, WaitReason::Socket, WaitReason::Sleep, WaitReason::Futex, WaitReason::Pipe];
        let largest = by_reason.first().filter(|largest| waits.contains(&largest.reason))?;
        (self.is_idle() && self.real_ns > 0).then(|| {
            let what = format!(
                "The program was idle: its CPU time is {} of the elapsed time, and its threads mostly waited ({})",
                percent(self.cpu_ns() / self.real_ns as f64),
                largest.reason.words()
            );
            self.look(&what, "threads EXP", "shows why they waited; measure the program again under load")
        })
    }

    fn few_samples(&self) -> Option<String> {
        (self.samples_count < FEW_SAMPLES && self.cpu_ns() > 0.0).then(|| {
            let what = format!("{} samples are too few to distinguish functions", self.samples_count);
            match self.experiment {
                Some(_) => format!("{what}: collect for longer, or with a shorter --interval."),
                None => {
                    self.look("These values do not show which functions use the time", "overview EXP", "shows more")
                }
            }
        })
    }

    fn top_function(&self, profile: &Profile) -> Option<String> {
        let (function, ratio) = top_function(profile)?;
        let what = format!("{} of the CPU time is in {function} itself", percent(ratio));
        Some(self.look(&what, &format!("callers-callees EXP --fragment '{function}'"), "shows its callers"))
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}
