//! Finds the threads of the samples that the profiler in the JVM took.

use super::lives::Lives;
use super::output::JoinInput;
use super::threads::NamespacedThread;
use crate::process::Process;
use whittle_model::{EventKind, Sample, TableBuilder, Thread, ThreadIndex};

/// The threads of one JVM's recording. Their samples are moved to the rows of this collection.
pub(crate) struct RecordedThreads {
    /// Number of the first row that the recording added.
    first_row: usize,
    /// The process that wrote the recording.
    process_id: u32,
    threads: Vec<Thread>,
    /// The time on CLOCK_MONOTONIC at which the recording's times are 0.
    start_ns: u64,
}

impl RecordedThreads {
    fn thread_of(&self, sample: &Sample) -> Option<&Thread> {
        self.threads.get(sample.thread.row().wrapping_sub(self.first_row))
    }
}

impl Lives {
    /// Takes the rows of threads that the recording of `process` added. The recording's times count from
    /// `recording_start_ns`.
    pub(crate) fn take_recorded(
        &self,
        Process(process_id): Process,
        recording_start_ns: u64,
        builder: &mut TableBuilder,
    ) -> RecordedThreads {
        let first_row = self.threads.rows.len();
        let threads = builder.take_threads(first_row);
        RecordedThreads { first_row, process_id, threads, start_ns: recording_start_ns }
    }

    /// The sample with its time in this collection, and the thread that took it. Missing: it is part of the previous part of the
    /// collection, or its thread is unknown.
    pub(crate) fn taken_by(
        &mut self,
        sample: &Sample,
        recorded: &RecordedThreads,
        builder: &mut TableBuilder,
    ) -> Option<(Sample, ThreadIndex)> {
        let time_ns = recorded.start_ns + sample.time_ns;
        let since_start_ns = time_ns.checked_sub(self.start_ns)?;
        let id = recorded.thread_of(sample)?.thread_id?;
        let found = self.threads.at(NamespacedThread { process_id: recorded.process_id, id }, time_ns, builder)?;
        Some((Sample { time_ns: since_start_ns, thread: found.row, ..*sample }, found.row))
    }

    /// The input of the join for a sample that answers a signal. Other samples (allocations, locks) become rows.
    pub(crate) fn answer(
        &mut self,
        mut sample: Sample,
        recorded: &RecordedThreads,
        builder: &mut TableBuilder,
    ) -> Option<JoinInput> {
        let thread = recorded.thread_of(&sample)?;
        let time_ns = recorded.start_ns + sample.time_ns;
        if time_ns < self.start_ns {
            // The sample is part of the previous part of the collection.
            return None;
        }
        let namespaced = thread.thread_id.map(|id| NamespacedThread { process_id: recorded.process_id, id });
        let Some(found) = namespaced.and_then(|namespaced| self.threads.at(namespaced, time_ns, builder)) else {
            if sample.event != EventKind::Cpu {
                sample.time_ns = time_ns.saturating_sub(self.start_ns);
                sample.thread = self.threads.rows.named(thread.process_id, &thread.name, builder);
                builder.sample(sample);
            }
            return None;
        };
        self.threads.rows.name(found.row, (&thread.name, true), builder);
        if sample.event == EventKind::Cpu {
            return Some(JoinInput::Sample { thread_id: found.thread_id, time_ns, stack: sample.stack });
        }
        sample.time_ns = time_ns.saturating_sub(self.start_ns);
        sample.thread = found.row;
        builder.sample(sample);
        None
    }
}
