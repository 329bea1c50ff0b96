//! The waits of pinned virtual threads, which the kernel counts for their carriers.
//!
//! ```text
//! counted   ForkJoinPool-1-worker-1, -2    futex  30 s
//! sampled   booking-# (pinned)             futex  20 s
//! left      ForkJoinPool-1-worker-1, -2    futex  10 s
//! ```

use super::groups::{OfGroup, Wait};
use std::collections::{BTreeMap, BTreeSet};
use whittle_model::thread_name::{PINNED, may_be_carrier};
use whittle_model::{ThreadTable, WaitReason};
use whittle_profile::pools::Pools;

/// The time of the sampled waits of pinned virtual threads.
pub(super) struct PinnedTimes<'p> {
    threads: &'p ThreadTable,
    by_process: BTreeMap<(Option<u32>, usize), f64>,
}

impl<'p> PinnedTimes<'p> {
    pub(super) fn new(threads: &'p ThreadTable) -> Self {
        Self { threads, by_process: BTreeMap::new() }
    }

    /// Adds the wait, if it is that of a pinned virtual thread.
    pub(super) fn add(&mut self, wait: &Wait) {
        if self.threads.name[wait.thread].ends_with(PINNED) {
            let key = (self.threads.process_id[wait.thread], wait.reason as usize);
            *self.by_process.entry(key).or_default() += wait.nanos;
        }
    }

    /// Makes the counted time of the carriers less by these times. If there are several fork/join pools, each has a part in proportion to
    /// its time.
    pub(super) fn take_from_carriers(&self, pools: &Pools, all: &mut [[OfGroup; WaitReason::ALL.len()]]) {
        for ((process_id, reason), pinned_ns) in &self.by_process {
            let is_carrier = |thread: &usize| {
                self.threads.process_id[*thread] == *process_id && may_be_carrier(&self.threads.name[*thread])
            };
            let carriers = (0..self.threads.name.len()).filter(is_carrier);
            let groups: BTreeSet<usize> = carriers.map(|thread| pools.group_of_thread(thread)).collect();
            let counted_ns = |group: &usize| all[*group][*reason].counted_ns.map_or(0.0, |[counted, _]| counted);
            let all_ns: f64 = groups.iter().map(counted_ns).sum();
            let left_ratio = if all_ns > 0.0 { (1.0 - pinned_ns / all_ns).max(0.0) } else { 1.0 };
            for group in groups {
                let counted = &mut all[group][*reason].counted_ns;
                *counted = counted.map(|times| times.map(|nanos| nanos * left_ratio));
            }
        }
    }
}
