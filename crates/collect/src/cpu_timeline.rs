//! The CPU time of a process between any two moments. It is polled often, and interpolated between polls.

use crate::accounts::interpolate;
use crate::host;
use crate::process::Process;
use crate::thread_times::{USER_TICK_NS, split};

/// Pairs of a moment on CLOCK_MONOTONIC and the time until then, in nanoseconds.
type Points = Vec<(u64, u64)>;

/// The CPU time of a process so far, at each poll.
#[derive(Debug)]
pub(crate) struct CpuTimeline {
    process: Process,
    /// Exact, from the scheduler.
    cpu: Points,
    /// In ticks of the kernel.
    user: Points,
    system: Points,
}

impl CpuTimeline {
    pub(crate) fn new(process: Process) -> Self {
        let mut timeline = Self { process, cpu: Points::new(), user: Points::new(), system: Points::new() };
        timeline.poll();
        timeline
    }

    /// Reads the time again. False: the process has ended.
    pub(crate) fn poll(&mut self) -> bool {
        let now_ns = host::monotonic_ns();
        let Some((cpu_ns, stat)) = self.process.cpu_ns().zip(self.process.stat()) else { return false };
        self.cpu.push((now_ns, cpu_ns));
        self.user.push((now_ns, stat.user_ticks * USER_TICK_NS));
        self.system.push((now_ns, stat.system_ticks * USER_TICK_NS));
        true
    }

    /// CPU time in user mode and in the kernel between two moments. `None`: a moment is not between two polls.
    pub(crate) fn between(&self, begin_ns: u64, end_ns: u64) -> Option<(u64, u64)> {
        let (first, last) = (self.cpu.first()?.0, self.cpu.last()?.0);
        if begin_ns < first || end_ns > last || begin_ns > end_ns {
            return None;
        }
        let grown = |points: &Points| interpolate(points, end_ns).saturating_sub(interpolate(points, begin_ns));
        let cpu_ns = grown(&self.cpu);
        Some(split(cpu_ns, grown(&self.user), grown(&self.system)).unwrap_or((cpu_ns, 0)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn times_between_polls_are_interpolated() {
        let timeline = CpuTimeline {
            process: Process(1),
            cpu: vec![(100, 1000), (200, 1100), (300, 1400)],
            user: vec![(100, 0), (200, 30), (300, 60)],
            system: vec![(100, 0), (200, 10), (300, 20)],
        };
        assert_eq!(timeline.between(150, 250), Some((150, 50)));
        assert_eq!(timeline.between(100, 300), Some((300, 100)));
        assert_eq!((timeline.between(99, 200), timeline.between(200, 301)), (None, None));
    }

    #[test]
    fn the_own_process_uses_cpu_time() {
        let mut timeline = CpuTimeline::new(Process(std::process::id()));
        let begin = timeline.cpu.first().unwrap().0;
        while timeline.cpu.last().unwrap().1 < timeline.cpu.first().unwrap().1 + 20_000_000 {
            assert!(timeline.poll());
        }
        let (user_ns, system_ns) = timeline.between(begin, timeline.cpu.last().unwrap().0).unwrap();
        assert!(user_ns + system_ns >= 20_000_000);
        assert!(!CpuTimeline::new(Process(0x3fff_ffff)).poll());
    }
}
