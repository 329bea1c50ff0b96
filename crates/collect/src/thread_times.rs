//! The life of one thread and its CPU time, from the accounts and the kernel side, for the threads table.

use whittle_model::{CpuSplitSource, ThreadTable};

/// The unit of CPU time in `/proc`: USER_HZ, 100 on all current architectures.
pub(crate) const USER_TICK_NS: u64 = 10_000_000;

/// CPU time, and its user and system part according to the kernel's ticks, in nanoseconds.
pub(crate) type CpuTimes = [u64; 3];

/// The known life of a thread, in nanoseconds since the experiment's start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Life {
    pub(crate) start_ns: u64,
    /// End of the thread. None: the thread is alive.
    pub(crate) end_ns: Option<u64>,
    pub(crate) cpu: CpuTimes,
}

/// A live thread of the observed process, with its CPU time in the collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveThread<'a> {
    /// The kernel's id.
    pub(crate) thread_id: u32,
    /// The name, and whether the JVM reported it. The kernel's name can be cut.
    pub(crate) name: (&'a str, bool),
    pub(crate) life: Life,
}

/// A thread of the observed process that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedThread {
    /// The kernel's id.
    pub(crate) thread_id: u32,
    /// The report of the thread's end. None: its record was lost.
    pub(crate) report: Option<EndReport>,
}

/// The kernel side's report about a thread's end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndReport {
    /// End of the thread on CLOCK_MONOTONIC.
    pub(crate) end_ns: u64,
    /// CPU time in the whole life of the thread.
    pub(crate) cpu: CpuTimes,
}

/// Sets a thread's exact CPU time and its split in the ratio of the kernel's user and system ticks.
pub(crate) fn set_cpu(threads: &mut ThreadTable, row: usize, [cpu_ns, user, system]: CpuTimes) {
    let parts = split(cpu_ns, user, system);
    threads.cpu_ns[row] = Some(cpu_ns);
    threads.user_cpu_ns[row] = parts.map(|parts| parts.0);
    threads.system_cpu_ns[row] = parts.map(|parts| parts.1);
    threads.cpu_split[row] = if parts.is_some() { CpuSplitSource::KernelTicks } else { CpuSplitSource::None };
}

/// Divides an exact total in the ratio of ticks. None: there are no ticks.
pub(crate) fn split(cpu_ns: u64, user_ticks: u64, system_ticks: u64) -> Option<(u64, u64)> {
    let ticks = user_ticks + system_ticks;
    let system_ns = u128::from(cpu_ns) * u128::from(system_ticks) / u128::from(ticks.max(1));
    (ticks > 0).then(|| (cpu_ns - system_ns as u64, system_ns as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_adds_up_to_the_exact_total() {
        assert_eq!(split(1000, 3, 1), Some((750, 250)));
        assert_eq!(split(1001, 1, 2), Some((334, 667)));
        assert_eq!(split(1000, 0, 0), None);
    }
}
