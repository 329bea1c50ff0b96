//! The processes that an observed process started, with their CPU time.

use super::threads::{Identity, OtherThread, Threads};
use crate::kernel::layout::ThreadLife;
use crate::process::Process;
use crate::thread_times::{CpuTimes, Life, USER_TICK_NS};
use rustc_hash::FxHashMap;
use whittle_model::TableBuilder;

/// Number of polls for which a process is kept after its end, because the ends of its last threads are reported later.
const MAX_MISSING: u32 = 3;

/// The processes that an observed process started, with their exact values.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    processes: FxHashMap<u32, FollowedProcess>,
    /// Total CPU time of the processes that have ended.
    past_cpu_ns: u64,
}

/// CPU time of a process as last read, or the sum of its ended threads, whichever is larger.
#[derive(Debug, Default, Clone, Copy)]
struct FollowedProcess {
    read_cpu_ns: u64,
    ended_cpu_ns: u64,
    /// Number of polls since the process was last found.
    missing_count: u32,
    /// Start of the process, in ticks since boot. 0: not read yet.
    start_ticks: u64,
}

impl FollowedProcess {
    fn cpu_ns(self) -> u64 {
        self.read_cpu_ns.max(self.ended_cpu_ns)
    }
}

impl Followed {
    /// Total CPU time of these processes.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.past_cpu_ns + self.processes.values().map(|process| process.cpu_ns()).sum::<u64>()
    }

    /// Reads a process again. Returns false if the process has ended. `is_counted`: the kernel side counts the process's
    /// threads, and forgets the process itself. Otherwise, another process can have the id.
    pub(crate) fn poll(&mut self, process: Process, is_counted: bool) -> bool {
        let start_ticks = process.stat().map_or(0, |stat| stat.start_ticks);
        let followed = self.processes.get(&process.0);
        let is_other =
            followed.is_some_and(|followed| followed.start_ticks != 0 && followed.start_ticks != start_ticks);
        if is_other && !is_counted {
            return false;
        }
        let Some(cpu_ns) = process.cpu_ns() else { return process.is_alive() };
        let followed = self.processes.entry(process.0).or_default();
        (followed.read_cpu_ns, followed.missing_count, followed.start_ticks) = (cpu_ns, 0, start_ticks);
        process.is_alive()
    }

    /// Forgets processes that ended several polls ago, because the ends of their threads have been reported by then.
    /// Their CPU time remains in the sum.
    pub(crate) fn forget_ended(&mut self) {
        let Self { processes, past_cpu_ns } = self;
        processes.retain(|_, process| {
            process.missing_count += 1;
            let is_past = process.missing_count > MAX_MISSING;
            *past_cpu_ns += if is_past { process.cpu_ns() } else { 0 };
            !is_past
        });
    }

    /// Adds the CPU time of a thread that has ended.
    pub(crate) fn end_thread(&mut self, life: &ThreadLife) -> CpuTimes {
        self.processes.entry(life.head.process_id).or_default().ended_cpu_ns += life.cpu_ns;
        [life.cpu_ns, life.user_ns, life.system_ns]
    }

    /// Updates the rows of live threads. `start_ns` is CLOCK_MONOTONIC at the experiment's start.
    pub(crate) fn complete_live(&self, threads: &Threads, start_ns: u64, builder: &mut TableBuilder) {
        for OtherThread { of: Identity { thread_id, row }, process, start_ns: began_ns } in threads.of_others() {
            let (Some(cpu_ns), Some(stat)) = (process.thread_cpu_ns(thread_id), process.thread_stat(thread_id)) else {
                continue;
            };
            let name = process.thread_name(thread_id).unwrap_or_default();
            threads.rows.name(row, (&name, false), builder);
            let cpu = [cpu_ns, stat.user_ticks * USER_TICK_NS, stat.system_ticks * USER_TICK_NS];
            let life = Life { start_ns: began_ns.saturating_sub(start_ns), end_ns: None, cpu };
            threads.rows.complete(row, &life, builder);
        }
    }
}
