//! [`Lives`]: the threads of the observed processes from their start to their end, with their activity.

use super::followed::Followed;
use super::threads::{Identity, Threads};
use crate::gathered::Gathered;
use crate::host;
use crate::kernel::exact::ThreadStates;
use crate::kernel::layout::{Head, ThreadLife, ThreadValue};
use crate::process::Process;
use crate::thread_times::{EndReport, EndedThread, Life};
use whittle_model::{TableBuilder, ThreadIndex};

/// The threads of a collection.
#[derive(Debug)]
pub(crate) struct Lives {
    pub(super) threads: Threads,
    pub(crate) states: ThreadStates,
    /// Processes that the observed process started.
    pub(crate) followed: Followed,
    /// CLOCK_MONOTONIC when observation began.
    pub(super) start_ns: u64,
    /// CLOCK_MONOTONIC when the collection ended. Until then, `u64::MAX`.
    end_ns: u64,
    /// False for a part of a continuous collection, which does not record thread states.
    has_states: bool,
}

impl Lives {
    /// Starts without any known thread.
    pub(crate) fn new() -> Self {
        Self {
            threads: Threads::default(),
            states: ThreadStates::default(),
            followed: Followed::default(),
            start_ns: 0,
            end_ns: u64::MAX,
            has_states: true,
        }
    }

    /// Like [`new`](Self::new), but for a part of a continuous collection.
    pub(crate) fn of_segment() -> Self {
        Self { has_states: false, ..Self::new() }
    }

    /// Starts to observe `process` at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn observe(&mut self, process: Process, start_ns: u64) {
        self.start_ns = start_ns;
        self.states = ThreadStates::starting_at(start_ns);
        self.threads.main = Some(process);
    }

    /// The live threads, for tables that start at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn for_next_segment(&self, start_ns: u64) -> Self {
        Self { threads: self.threads.for_next_segment(), start_ns, has_states: self.has_states, ..Self::new() }
    }

    /// Number of live threads.
    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }

    /// Call this before the last reading of the kernel side's maps. The collection ended at `end_ns` of CLOCK_MONOTONIC.
    pub(crate) fn expect_last_reading(&mut self, end_ns: u64) {
        self.threads.is_last_reading = true;
        self.end_ns = end_ns;
    }

    /// Until when the state of a thread counts that is read now. Between the end of the collection and its last reading, a
    /// busy machine can take a tenth of a second.
    pub(super) fn until_ns(&self) -> u64 {
        host::monotonic_ns().min(self.end_ns)
    }

    /// Handles a record that reports a thread's end.
    pub(super) fn end(&mut self, life: &ThreadLife, gathered: &mut Gathered) -> Identity {
        let Head { thread_id, process_id, time_ns, .. } = life.head;
        let row = self.threads.of_life(life, &mut gathered.builder);
        self.states.end((thread_id, row), life.state_ns, time_ns);
        let cpu = if self.threads.is_main(process_id) {
            gathered.accounts.end_thread(EndedThread { thread_id, report: Some(report(life)) })
        } else {
            self.followed.end_thread(life)
        };
        let span = Life { start_ns: self.since_start(life.start_ns), end_ns: Some(self.since_start(time_ns)), cpu };
        self.threads.end(Identity { thread_id, row }, (Some(&span), time_ns), &mut gathered.builder);
        Identity { thread_id, row }
    }

    /// Takes a reading of the live threads. Returns the threads that ended without a record.
    pub(crate) fn read(&mut self, values: Vec<(u32, ThreadValue)>, gathered: &mut Gathered) -> Vec<Identity> {
        let now_ns = self.until_ns();
        let builder = &mut gathered.builder;
        for (thread_id, value) in values {
            self.threads.note(thread_id, &value, now_ns);
            if self.has_states
                && let Some(thread) = self.threads.row_if_alive((thread_id, value.process_id), now_ns, builder)
            {
                self.states.read((thread_id, thread), &value, now_ns);
            }
        }
        // The ends of these threads were not reported, because there was no room for the records.
        let missing = self.threads.take_missing(builder);
        missing.into_iter().map(|(thread, is_main)| self.end_unreported((thread, is_main), gathered)).collect()
    }

    fn end_unreported(&mut self, (thread, is_main): (Identity, bool), gathered: &mut Gathered) -> Identity {
        self.states.forget(thread.thread_id);
        let now_ns = host::monotonic_ns();
        let life = is_main.then(|| {
            let cpu = gathered.accounts.end_thread(EndedThread { thread_id: thread.thread_id, report: None });
            let end_ns = self.since_start(now_ns);
            Life { start_ns: end_ns, end_ns: Some(end_ns), cpu }
        });
        self.threads.end(thread, (life.as_ref(), now_ns), &mut gathered.builder);
        thread
    }

    /// The row of the thread that had this id at `time_ns` of CLOCK_MONOTONIC.
    pub(super) fn row_at(
        &mut self,
        (thread_id, process_id): (u32, u32),
        time_ns: u64,
        builder: &mut TableBuilder,
    ) -> ThreadIndex {
        let namespaced = self.threads.namespaced(thread_id, process_id);
        let found = self.threads.at(namespaced, time_ns, builder);
        found.map_or_else(|| self.threads.rows.named(Some(process_id), "(unknown thread)", builder), |of| of.row)
    }

    /// Call this before the accounts of system calls are read again.
    pub(crate) fn begin_reading_accounts(&mut self) {
        self.threads.begin_reading_accounts();
    }

    /// The row of a thread with accounts. `None`: a later reading can provide more information about the thread.
    pub(crate) fn row_of_accounts(&mut self, thread_id: u32, builder: &mut TableBuilder) -> Option<ThreadIndex> {
        self.threads.row_of_accounts(thread_id, builder)
    }

    /// The row for calls that had no room in the accounts.
    pub(crate) fn row_of_unlisted_calls(&mut self, builder: &mut TableBuilder) -> ThreadIndex {
        let main = self.threads.main.map(|process| process.0);
        self.threads.rows.named(main, "<account table full>", builder)
    }

    /// Forgets the threads that ended before `settled_until_ns`, because no more samples of them can arrive.
    pub(crate) fn forget_past(&mut self, settled_until_ns: u64) {
        self.threads.forget_past(settled_until_ns, host::monotonic_ns());
    }

    /// Writes the accounts of the observed process's live threads.
    pub(crate) fn complete(&mut self, gathered: &mut Gathered) {
        let Gathered { builder, accounts } = gathered;
        let process_id = self.threads.main.map_or(0, |main| main.0);
        for live in accounts.live_threads(self.start_ns) {
            let start_ns = self.start_ns + live.life.start_ns;
            let row = self.threads.row_if_alive((live.thread_id, process_id), start_ns, builder);
            let Some(row) = row else { continue };
            self.threads.rows.name(row, live.name, builder);
            self.threads.rows.complete(row, &live.life, builder);
        }
    }

    /// Writes the CPU time of live threads in the processes that the observed process started.
    pub(crate) fn complete_followed(&self, builder: &mut TableBuilder) {
        self.followed.complete_live(&self.threads, self.start_ns, builder);
    }

    /// Adds to the name of each shared row the number of threads that the row represents.
    pub(crate) fn write_counts(&self, builder: &mut TableBuilder) {
        self.threads.rows.write_counts(builder);
    }

    /// The number of threads that share rows of the threads table, and the number of these rows. None: every thread has
    /// a separate row.
    pub(crate) fn shared_rows(&self) -> Option<(u64, usize)> {
        self.threads.rows.shared()
    }

    fn since_start(&self, monotonic_ns: u64) -> u64 {
        monotonic_ns.saturating_sub(self.start_ns)
    }
}

fn report(life: &ThreadLife) -> EndReport {
    EndReport { end_ns: life.head.time_ns, cpu: [life.cpu_ns, life.user_ns, life.system_ns] }
}
