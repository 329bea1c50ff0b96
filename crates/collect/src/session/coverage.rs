//! Compares samples with the exact accounts of the same time.

use super::{Beginning, Session};
use crate::host;
use crate::kernel::KernelSide;
use whittle_model::{Closure, LossReason};

impl Session<'_> {
    /// Samples compared with the accounts, up to the last read sample.
    pub(super) fn closure_so_far(&self) -> Closure {
        let end_ns = match &self.kernel {
            Some(kernel) if self.end_ns.is_none() => kernel.settled_until_ns(),
            _ => self.end_ns(),
        };
        let until_end_ns = self.gathered.accounts.cpu_ns_until(end_ns);
        let exact_cpu_ns = match self.beginning {
            Beginning::Launched => until_end_ns,
            Beginning::Attached => until_end_ns.saturating_sub(self.gathered.accounts.cpu_ns_until(self.start_ns())),
        };
        self.closure(exact_cpu_ns)
    }

    /// The closure of a launched program that has ended. It includes all CPU time of the program.
    pub(super) fn closure_of_whole_life(&self) -> Closure {
        self.closure(self.gathered.accounts.cpu_ns())
    }

    fn closure(&self, exact_cpu_ns: u64) -> Closure {
        let followed_ns = self.kernel.as_ref().map_or(0, KernelSide::followed_cpu_ns);
        let parts = self.gathered.accounts.user_system_ns(exact_cpu_ns).filter(|_| followed_ns == 0);
        Closure {
            exact_cpu_ns: exact_cpu_ns + followed_ns,
            exact_user_ns: parts.map(|parts| parts.0),
            exact_system_ns: parts.map(|parts| parts.1),
            sampled_ns: self.store.sampled.sampled_ns,
            rooted_ns: self.store.sampled.rooted_ns,
        }
    }

    /// CLOCK_MONOTONIC at the end of the described time.
    pub(super) fn end_ns(&self) -> u64 {
        match (self.kernel.is_some() || self.is_segment(), self.end_ns) {
            (true, Some(end_ns)) => end_ns,
            (true, None) => host::monotonic_ns(),
            (false, _) => self.start_ns().saturating_add(self.manifest.duration_ns),
        }
    }

    /// Reports the CPU time before the profiler's start and after its end as lost, with a reason. This applies if only
    /// the profiler in the JVM takes samples.
    pub(super) fn describe_time_without_agent(&mut self) {
        if self.kernel.is_some() {
            return;
        }
        let (before_ns, until_end_ns) =
            (self.gathered.accounts.cpu_ns_until(self.start_ns()), self.gathered.accounts.cpu_ns_until(self.end_ns()));
        let after_ns = self.gathered.accounts.cpu_ns().saturating_sub(until_end_ns);
        for (reason, cpu_ns) in [(LossReason::BeforeAgent, before_ns), (LossReason::AfterAgent, after_ns)] {
            if cpu_ns > 0 {
                self.manifest.losses.add_cpu(reason, cpu_ns);
            }
        }
    }
}
