//! Losses on the way from the kernel.

use whittle_model::{LossReason, Losses};

/// Losses on the way from the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Number of records that had no room in a buffer.
    pub(crate) records: u64,
    /// CPU time of the lost ticks.
    pub(crate) tick_ns: u64,
    /// Threads that could not be recorded because they were ending.
    pub(crate) threads: u64,
    /// Threads and processes that could not be recorded because there were too many.
    pub(crate) without_room: u64,
    /// Number of calls that had no room in the accounts.
    pub(crate) calls: u64,
    /// Number of calls of 32-bit programs.
    pub(crate) compat_calls: u64,
    /// Number of runs of programs that the kernel skipped.
    pub(crate) skipped_runs: u64,
    /// Number of requests to servers that had no room.
    pub(crate) requests: u64,
    /// Number of changes of work items that were not noted.
    pub(crate) unsure_items: u64,
}

impl Lost {
    /// The losses since `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            records: self.records.saturating_sub(before.records),
            tick_ns: self.tick_ns.saturating_sub(before.tick_ns),
            threads: self.threads.saturating_sub(before.threads),
            without_room: self.without_room.saturating_sub(before.without_room),
            calls: self.calls.saturating_sub(before.calls),
            compat_calls: self.compat_calls.saturating_sub(before.compat_calls),
            skipped_runs: self.skipped_runs.saturating_sub(before.skipped_runs),
            requests: self.requests.saturating_sub(before.requests),
            unsure_items: self.unsure_items.saturating_sub(before.unsure_items),
        }
    }

    /// Adds later losses.
    pub(crate) fn add(&mut self, later: Self) {
        self.records += later.records;
        self.tick_ns += later.tick_ns;
        self.threads += later.threads;
        self.without_room += later.without_room;
        self.calls += later.calls;
        self.compat_calls += later.compat_calls;
        self.skipped_runs += later.skipped_runs;
        self.requests += later.requests;
        self.unsure_items += later.unsure_items;
    }

    /// These losses in the form of an experiment.
    pub(crate) fn losses(self) -> Losses {
        let mut losses = Losses::default();
        if self.records > 0 {
            losses.add_cpu(LossReason::EventsOverflow, self.tick_ns);
            losses.add_count(LossReason::EventsOverflow, self.records - 1);
        }
        // The kernel attaches nothing to a thread that is already exiting.
        let counts = [
            (LossReason::ThreadEnded, self.threads),
            (LossReason::ThreadTableFull, self.without_room),
            (LossReason::FileTableFull, self.calls),
            (LossReason::SkippedRuns, self.skipped_runs),
            (LossReason::CompatCalls, self.compat_calls),
            (LossReason::UnseenRequests, self.requests),
            (LossReason::UnsureItems, self.unsure_items),
        ];
        for (reason, count) in counts {
            if count > 0 {
                losses.add_count(reason, count);
            }
        }
        losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_named_and_nothing_else() {
        assert!(Lost::default().losses().iter().next().is_none());
        let before = Lost { records: 1, tick_ns: 10, threads: 2, ..Lost::default() };
        let later = Lost {
            records: 4,
            tick_ns: 40,
            threads: 2,
            without_room: 3,
            calls: 5,
            compat_calls: 6,
            skipped_runs: 7,
            requests: 8,
            unsure_items: 9,
        };
        let mut lost = later.since(before);
        lost.add(Lost { records: 1, ..Lost::default() });
        assert_eq!(lost, Lost { tick_ns: 30, threads: 0, ..later });
        let losses: Vec<_> = lost.losses().iter().map(|loss| (loss.reason, loss.count)).collect();
        let expected = [
            (LossReason::EventsOverflow, 4),
            (LossReason::FileTableFull, 5),
            (LossReason::SkippedRuns, 7),
            (LossReason::ThreadTableFull, 3),
            (LossReason::CompatCalls, 6),
            (LossReason::UnseenRequests, 8),
            (LossReason::UnsureItems, 9),
        ];
        assert_eq!(losses, expected);
    }
}
