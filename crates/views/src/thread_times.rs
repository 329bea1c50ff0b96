//! What threads did according to the kernel, added up over the experiment.

use crate::order::sort_by_key;
use serde::Serialize;
use whittle_model::{Table, Tables, ThreadState, WaitReason};

/// Time that was spent for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ReasonTime {
    /// Why threads did not execute.
    pub reason: WaitReason,
    /// How long.
    pub duration_ns: u64,
}

/// What one thread, or several, did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ThreadTimes {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    /// Able to execute while no CPU was free.
    pub(crate) run_queue_ns: u64,
    /// By number of the reason.
    blocked_ns: [u64; WaitReason::ALL.len()],
}

impl ThreadTimes {
    /// Executing, in whatever mode.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.user_ns.saturating_add(self.system_ns)
    }

    /// Blocked for whatever reason.
    pub(crate) fn all_blocked_ns(&self) -> u64 {
        self.blocked_ns.iter().fold(0, |sum, nanos| sum.saturating_add(*nanos))
    }

    /// Blocked for one reason.
    pub(crate) fn blocked_ns(&self, reason: WaitReason) -> u64 {
        self.blocked_ns[reason as usize]
    }

    /// Everything: how long the thread was observed.
    pub(crate) fn observed_ns(&self) -> u64 {
        self.cpu_ns().saturating_add(self.run_queue_ns).saturating_add(self.all_blocked_ns())
    }

    /// The reasons that occur, the largest first.
    pub(crate) fn by_reason(&self) -> Vec<ReasonTime> {
        let all =
            WaitReason::ALL.iter().map(|reason| ReasonTime { reason: *reason, duration_ns: self.blocked_ns(*reason) });
        let mut occurring: Vec<ReasonTime> = all.filter(|time| time.duration_ns > 0).collect();
        sort_by_key(&mut occurring, |time| (std::cmp::Reverse(time.duration_ns), time.reason));
        occurring
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.user_ns = self.user_ns.saturating_add(other.user_ns);
        self.system_ns = self.system_ns.saturating_add(other.system_ns);
        self.run_queue_ns = self.run_queue_ns.saturating_add(other.run_queue_ns);
        for (sum, nanos) in self.blocked_ns.iter_mut().zip(other.blocked_ns) {
            *sum = sum.saturating_add(nanos);
        }
    }
}

/// The times of every thread; missing where the kernel's view of it was not recorded.
pub(crate) fn thread_times(tables: &Tables) -> Vec<Option<ThreadTimes>> {
    let mut times: Vec<Option<ThreadTimes>> = vec![None; tables.threads.len()];
    let states = &tables.thread_states;
    for row in 0..states.len() {
        let times = times[states.thread[row].row()].get_or_insert_default();
        let sum = match states.state[row] {
            ThreadState::OnCpuUser => &mut times.user_ns,
            ThreadState::OnCpuSystem => &mut times.system_ns,
            ThreadState::Runnable => &mut times.run_queue_ns,
            ThreadState::Blocked => &mut times.blocked_ns[states.reason[row] as usize],
        };
        *sum = sum.saturating_add(states.duration_ns[row]);
    }
    times
}
