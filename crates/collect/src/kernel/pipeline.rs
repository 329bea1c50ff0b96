//! [`Pipeline`]: the four stages of a collection, and the loop that passes output to the next stage.
//!
//! ```text
//! records.take_until ──> events.take ───> joined.add ──> joined.take_joined ──> rows.add
//!                        lives.answer ──> joined.add ──┘
//! ```

use super::events::{EventStage, JoinInput, Lives, RecordedThreads};
use super::joined::JoinStage;
use super::monitor_waits::is_monitor_wait;
use super::pace::Pace;
use super::records::{Listener, RecordStage};
use super::rows::RowStage;
use crate::gathered::Gathered;
use crate::process::Process;
use whittle_model::{Sample, SampleTable, Table, TableBuilder};
use whittle_native::KernelSymbols;

/// What is known of the samples that were read from a JVM's recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedPart {
    /// The process that wrote the recording.
    pub(crate) process: Process,
    /// The time on CLOCK_MONOTONIC at which the recording's times are 0.
    pub(crate) start_ns: u64,
    /// The samples until then are complete.
    pub(crate) until_ns: u64,
    /// Whether the stacks of virtual threads that wait for monitors are in the recording only.
    pub(crate) has_monitor_waits: bool,
}

/// The stages of a collection.
pub(crate) struct Pipeline {
    pub(super) records: RecordStage,
    pub(super) events: EventStage,
    pub(super) joined: JoinStage,
    pub(super) rows: RowStage,
}

impl Pipeline {
    /// Creates the stages of a new collection, with the records of `listener`.
    pub(crate) fn new(listener: Listener, (lives, pace): (Lives, Pace), symbols: Option<KernelSymbols>) -> Self {
        Self {
            records: RecordStage::new(listener),
            events: EventStage::new(lives, pace),
            joined: JoinStage::default(),
            rows: RowStage::new(symbols),
        }
    }

    /// The stages for tables that start at `start_ns` of CLOCK_MONOTONIC. The current stages still get answers to their
    /// events.
    pub(crate) fn for_next_segment(&mut self, start_ns: u64, pace: Pace) -> Self {
        // The profiler's handler runs some microseconds after the event that it answers. So a held delivery can answer
        // an event of the current part.
        self.records.held_deliveries().for_each(|head| self.joined.add(JoinInput::Delivery(*head)));
        Self {
            records: self.records.for_next_segment(),
            events: self.events.for_next_segment(start_ns, pace),
            joined: JoinStage::default(),
            rows: self.rows.for_next_segment(start_ns),
        }
    }

    /// Starts to observe `process` at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn observe(&mut self, process: Process, start_ns: u64) {
        self.events.lives.observe(process, start_ns);
        self.rows.start_at(start_ns);
    }

    /// Takes the records until `until_ns` of CLOCK_MONOTONIC. Later records wait.
    pub(crate) fn take_until(&mut self, until_ns: u64, gathered: &mut Gathered) {
        let due_until_ns = self.events.look_ahead(self.records.fetch());
        for record in self.records.take_until(due_until_ns.min(until_ns)) {
            if let Some(input) = self.events.take(record, gathered) {
                self.join(input, &mut gathered.builder);
            }
        }
        self.write_joined(&mut gathered.builder);
    }

    /// Takes the samples of a recording. Samples that answer a signal go to the join. Other samples (allocations, locks) become
    /// rows.
    pub(crate) fn take_samples(&mut self, part: RecordedPart, samples: &SampleTable, builder: &mut TableBuilder) {
        let recorded = self.events.lives.take_recorded(part.process, part.start_ns, builder);
        for row in 0..samples.len() {
            let sample = samples.row(row);
            if part.has_monitor_waits && is_monitor_wait(builder.tables(), &sample) {
                self.add_monitor_wait(&sample, &recorded, builder);
            } else if let Some(input) = self.events.lives.answer(sample, &recorded, builder) {
                self.joined.add(input);
            }
        }
    }

    fn add_monitor_wait(&mut self, sample: &Sample, recorded: &RecordedThreads, builder: &mut TableBuilder) {
        if let Some((sample, carrier)) = self.events.lives.taken_by(sample, recorded, builder) {
            self.rows.virtual_returns.add_report(sample, carrier);
        }
    }

    /// Passes an event or an answer to the join. When a thread ends, its last events are settled while its id still
    /// refers to this thread.
    pub(crate) fn join(&mut self, input: JoinInput, builder: &mut TableBuilder) {
        let ended = if let JoinInput::End(thread) = &input { Some(*thread) } else { None };
        self.joined.add(input);
        if let Some(thread) = ended {
            self.write_joined(builder);
            self.rows.end_thread(thread);
        }
    }

    /// Writes the rows of all events that are settled.
    pub(crate) fn write_joined(&mut self, builder: &mut TableBuilder) {
        for joined in self.joined.take_joined() {
            self.rows.add(&joined, builder);
        }
    }
}
