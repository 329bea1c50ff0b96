//! [`Store`] keeps the complete rows of a session until they are on disk.

use crate::closure::SampledCpu;
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_model::{Manifest, NewRows, TableBuilder, Tables};

/// The rows of a session that are not on disk yet, and the sums of its samples.
pub(super) struct Store {
    /// Writes the experiment. `None` for a part of a continuous collection, because all rows of such a part stay in
    /// memory until the part ends.
    writer: Option<ExperimentWriter>,
    /// Rows that are not on disk yet.
    pending: NewRows,
    pub(super) sampled: SampledCpu,
    last_write: Instant,
}

impl Store {
    /// Creates the store. Without a writer, all rows are kept in memory.
    pub(super) fn new(writer: Option<ExperimentWriter>) -> Self {
        Self { writer, pending: NewRows::default(), sampled: SampledCpu::default(), last_write: Instant::now() }
    }

    /// True if this store never writes to disk, because it has no writer.
    pub(super) fn is_in_memory(&self) -> bool {
        self.writer.is_none()
    }

    /// Takes the new rows of the tables.
    pub(super) fn take_rows(&mut self, builder: &mut TableBuilder) {
        let rows = builder.take_new_rows();
        self.sampled.add(builder.tables(), &rows.samples);
        self.pending.append(rows);
    }

    /// True if there are samples that are not on disk yet.
    pub(super) fn has_samples(&self) -> bool {
        !self.pending.samples.time_ns.is_empty()
    }

    /// Call this before a part is written.
    pub(super) fn begin_write(&mut self) {
        self.last_write = Instant::now();
    }

    /// Time since a part was last written, or since writing last failed.
    pub(super) fn since_write(&self) -> Duration {
        self.last_write.elapsed()
    }

    /// Writes new rows as a part of the experiment.
    pub(super) fn write_rows(&mut self, tables: &Tables) -> Result<(), whittle_experiment::Error> {
        if let Some(writer) = &mut self.writer {
            writer.append(tables, &self.pending)?;
            self.pending = NewRows::default();
        }
        Ok(())
    }

    /// Writes the manifest.
    pub(super) fn write_manifest(&mut self, manifest: &Manifest) -> Result<(), whittle_experiment::Error> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_manifest(manifest))
    }

    /// For a session that is kept in memory: returns its tables with all rows.
    pub(super) fn into_tables(self, builder: TableBuilder) -> Tables {
        let mut tables = builder.into_tables();
        let NewRows { samples, sampled_calls, thread_states, requests, request_parts, wakes, counters } = self.pending;
        (tables.samples, tables.sampled_calls) = (samples, sampled_calls);
        (tables.thread_states, tables.wakes) = (thread_states, wakes);
        (tables.requests, tables.request_parts) = (requests, request_parts);
        tables.counters = counters;
        tables
    }

    /// Returns the writer, so that the caller can remove an experiment that has no content.
    pub(super) fn into_writer(self) -> Option<ExperimentWriter> {
        self.writer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{EventKind, Sample, StackIndex, Table, Thread};

    #[test]
    fn rows_that_were_taken_are_in_the_tables_at_the_end() {
        let (mut store, mut builder) = (Store::new(None), TableBuilder::new());
        let thread = builder.add_thread(Thread::unknown(None, None, "main"));
        for round in 0..3 {
            let sample = Sample::new(round, thread, StackIndex::ROOT, EventKind::Cpu);
            builder.sample(Sample { duration_ns: 10, ..sample });
            store.take_rows(&mut builder);
        }
        assert!(store.is_in_memory() && store.has_samples());
        assert_eq!((store.sampled.sample_count, store.sampled.sampled_ns), (3, 30));
        let tables = store.into_tables(builder);
        assert_eq!((tables.samples.len(), tables.samples.row(2).time_ns), (3, 2));
    }
}
