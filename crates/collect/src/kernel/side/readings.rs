//! Reads the kernel's maps from time to time: accounts of system calls, states of threads, processes.

use super::KernelSide;
use crate::gathered::Gathered;
use crate::kernel::events::JoinInput;
use crate::kernel::pipeline::Pipeline;
use crate::process::Process;
use std::time::{Duration, Instant};
use whittle_model::TableBuilder;

/// How often states are read.
const READ_INTERVAL: Duration = Duration::from_millis(200);

/// How often accounts and states are read in a continuous collection, which needs them only to find threads that ended
/// without a report.
const SEGMENT_READ_INTERVAL: Duration = Duration::from_secs(10);

/// If there are more threads, their states are read only in full readings.
const THREADS_PER_READING: usize = 500;

/// One in this many readings is a full reading: it also contains the accounts. A server with many connections has thousands of
/// accounts, and only their last values count.
const READINGS_PER_FULL_READING: u64 = 5;

/// If there are this many ended threads, the accounts are read at once, because the room for accounts is limited.
const MAX_ENDED_THREADS: usize = 1000;

/// The readings so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Readings {
    last: Instant,
    count: u64,
    /// When requests were last written to their table.
    requests_taken: Instant,
}

impl Default for Readings {
    fn default() -> Self {
        Self { last: Instant::now(), count: 0, requests_taken: Instant::now() }
    }
}

impl KernelSide {
    pub(super) fn read_maps_if_due(&mut self, gathered: &mut Gathered) {
        let since = self.readings.last.elapsed();
        let interval = if self.is_segment { SEGMENT_READ_INTERVAL } else { READ_INTERVAL };
        let is_due = since >= interval || self.pipeline.rows.calls.ended_count() > MAX_ENDED_THREADS;
        if is_due && !self.is_over {
            self.read_maps(since, gathered);
        }
    }

    fn read_maps(&mut self, since: Duration, gathered: &mut Gathered) {
        let is_full = self.is_segment || (self.readings.count + 1).is_multiple_of(READINGS_PER_FULL_READING);
        self.readings = Readings { last: Instant::now(), count: self.readings.count + 1, ..self.readings };
        self.pipeline.records.count_lost();
        self.pipeline.events.files.retry(&mut gathered.builder);
        if is_full || self.pipeline.rows.calls.ended_count() > MAX_ENDED_THREADS {
            self.write_requests(&mut gathered.builder);
            self.read_accounts(&mut gathered.builder);
        }
        if is_full || self.pipeline.events.lives.count() <= THREADS_PER_READING {
            self.read_states(gathered);
        }
        self.pipeline.events.lives.forget_past(self.handlers.complete_until_ns().unwrap_or_default());
        self.set_intervals(since);
        self.listener.shift_ticks();
        self.poll_processes(&mut gathered.builder);
    }

    pub(super) fn write_requests(&mut self, builder: &mut TableBuilder) {
        let seconds = self.readings.requests_taken.elapsed().as_secs_f64();
        self.readings.requests_taken = Instant::now();
        self.pipeline.events.requests.take(seconds, builder.tables_mut());
    }

    pub(super) fn read_accounts(&mut self, builder: &mut TableBuilder) {
        if !self.collected.has_accounts() {
            return;
        }
        let Self { listener, pipeline: Pipeline { records, events, rows, .. }, .. } = self;
        let lives = &mut events.lives;
        lives.begin_reading_accounts();
        listener.with_accounts(|programs| {
            rows.calls.read(programs, builder, |thread_id, builder| lives.row_of_accounts(thread_id, builder));
        });
        if records.lost().calls > 0 {
            let thread = lives.row_of_unlisted_calls(builder);
            listener.with_accounts(|programs| rows.calls.read_unlisted(programs, thread));
        }
    }

    pub(super) fn read_states(&mut self, gathered: &mut Gathered) {
        for thread in self.pipeline.events.lives.read(self.listener.threads(), gathered) {
            self.pipeline.join(JoinInput::End(thread), &mut gathered.builder);
        }
        self.pipeline.write_joined(&mut gathered.builder);
    }

    fn set_intervals(&mut self, since: Duration) {
        let Self { listener, pipeline: Pipeline { events, .. }, .. } = self;
        let cost = listener.stack_cost();
        for (kind, interval) in events.pace.next(since.as_secs_f64(), cost, |kind| listener.interval(kind)) {
            // If the distance cannot be changed, the old distance remains.
            let _ = listener.set_interval(kind, interval);
        }
    }

    fn poll_processes(&mut self, builder: &mut TableBuilder) {
        if !self.follows {
            return;
        }
        let processes = self.listener.processes().into_iter().map(|(id, value)| (Process(id), value));
        for ended in self.pipeline.events.poll_followed(processes) {
            self.listener.forget(ended.0);
        }
        self.pipeline.events.lives.complete_followed(builder);
    }
}
