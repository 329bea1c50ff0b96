//! The waits of pinned virtual threads, which the kernel counts for their carriers.
//!
//! ```text
//! counted   ForkJoinPool-1-worker-1, -2    futex  30 s
//! sampled   booking-# (pinned)             futex  20 s
//! left      ForkJoinPool-1-worker-1, -2    futex  10 s
//! ```

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

    /// Adds a wait, if it is that of a pinned virtual thread.
    pub(super) fn add(&mut self, thread: usize, reason: WaitReason, nanos: f64) {
        if self.threads.name[thread].ends_with(PINNED) {
            *self.by_process.entry((self.threads.process_id[thread], reason as usize)).or_default() += nanos;
        }
    }

    /// The part that is left of the counted times of the carriers: group, number of the reason, ratio. If there are several fork/join pools,
    /// each gives a part in proportion to its time. `counted_ns`: the counted time of a group and reason.
    pub(super) fn left_ratios(
        &self,
        pools: &Pools,
        counted_ns: impl Fn(usize, usize) -> f64,
    ) -> Vec<(usize, usize, f64)> {
        let mut left = Vec::new();
        for ((process_id, reason), pinned_ns) in &self.by_process {
            let is_carrier = |thread: &usize| {
                self.threads.process_id[*thread] == *process_id && may_be_carrier(&self.threads.name[*thread])
            };
            let carriers = (0..self.threads.name.len()).filter(is_carrier);
            let groups: BTreeSet<usize> = carriers.map(|thread| pools.group_of_thread(thread)).collect();
            let all_ns: f64 = groups.iter().map(|group| counted_ns(*group, *reason)).sum();
            let ratio = if all_ns > 0.0 { (1.0 - pinned_ns / all_ns).max(0.0) } else { 1.0 };
            left.extend(groups.into_iter().map(|group| (group, *reason, ratio)));
        }
        left
    }
}
