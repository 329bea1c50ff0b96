//! Times that the kernel measured for each thread state, added up over the experiment.

use crate::order::sort_by_key;
use serde::Serialize;
use whittle_model::{Table, Tables, ThreadState, WaitReason};

/// Time for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReasonTime {
    /// Why threads did not execute.
    pub reason: WaitReason,
    /// The time for this reason.
    pub duration_ns: u64,
}

/// The times of one or several threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// Nanoseconds in user mode.
    pub user_ns: u64,
    /// Nanoseconds in the kernel.
    pub system_ns: u64,
    /// Time in which the thread could execute but no CPU was free.
    pub run_queue_ns: u64,
    /// The part of [`run_queue_ns`](Self::run_queue_ns) for which the CPU quota of the control group was used up.
    pub quota_ns: u64,
    /// Blocked time, indexed by the reason's number.
    blocked_ns: [u64; WaitReason::ALL.len()],
}

impl ThreadTimes {
    /// Time in which the threads executed, in any mode.
    pub fn cpu_ns(&self) -> u64 {
        self.user_ns.saturating_add(self.system_ns)
    }

    /// Time blocked for any reason.
    pub fn all_blocked_ns(&self) -> u64 {
        self.blocked_ns.iter().fold(0, |sum, nanos| sum.saturating_add(*nanos))
    }

    /// Time blocked for one reason.
    pub fn blocked_ns(&self, reason: WaitReason) -> u64 {
        self.blocked_ns[reason as usize]
    }

    /// Total time: how long the thread was observed.
    pub fn observed_ns(&self) -> u64 {
        self.cpu_ns().saturating_add(self.run_queue_ns).saturating_add(self.all_blocked_ns())
    }

    /// The reasons that occur, the largest first.
    pub fn by_reason(&self) -> Vec<ReasonTime> {
        let all =
            WaitReason::ALL.iter().map(|reason| ReasonTime { reason: *reason, duration_ns: self.blocked_ns(*reason) });
        let mut occurring: Vec<ReasonTime> = all.filter(|time| time.duration_ns > 0).collect();
        sort_by_key(&mut occurring, |time| (std::cmp::Reverse(time.duration_ns), time.reason));
        occurring
    }

    /// Adds the times of other threads.
    pub fn add(&mut self, other: &Self) {
        self.user_ns = self.user_ns.saturating_add(other.user_ns);
        self.system_ns = self.system_ns.saturating_add(other.system_ns);
        self.run_queue_ns = self.run_queue_ns.saturating_add(other.run_queue_ns);
        self.quota_ns = self.quota_ns.saturating_add(other.quota_ns);
        for (sum, nanos) in self.blocked_ns.iter_mut().zip(other.blocked_ns) {
            *sum = sum.saturating_add(nanos);
        }
    }
}

/// The times of every thread. Missing for threads without recorded states.
pub fn thread_times(tables: &Tables) -> Vec<Option<ThreadTimes>> {
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
        if states.reason[row] == WaitReason::Quota {
            times.quota_ns = times.quota_ns.saturating_add(states.duration_ns[row]);
        }
    }
    times
}
