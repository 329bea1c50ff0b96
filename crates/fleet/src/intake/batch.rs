//! Rows of several segments, by service and hour, before they are written to files.

use crate::catalogue::{DataFile, Level};
use crate::intake::Taken;
use crate::intake::known_stacks::KnownStacks;
use crate::intake::segment_rows::SegmentRows;
use crate::rows::{CounterRows, FileError, Observation, ObservationRows, PlacedFile, StackRow, StackRows, write_file};
use crate::tables::{FleetTable, day_of, hour_of};
use std::collections::BTreeMap;
use whittle_experiment::Store;
use whittle_model::{SegmentId, StackIndex};

/// Segments that are not committed yet.
#[derive(Default)]
pub(super) struct Batch {
    segments: Vec<(SegmentId, i64)>,
    pub(super) taken: Taken,
    /// Memory of all rows in bytes. The value is estimated.
    pub(super) row_bytes: u64,
    hours: BTreeMap<(String, i64), HourRows>,
    stacks: BTreeMap<(String, i64), StackRows>,
}

/// Rows of one service and hour.
struct HourRows {
    samples: ObservationRows,
    rollup: ObservationRows,
    counters: CounterRows,
}

impl HourRows {
    fn new(service: &str) -> Self {
        Self {
            samples: ObservationRows::new(FleetTable::Samples, service),
            rollup: ObservationRows::new(FleetTable::Rollup, service),
            counters: CounterRows::new(service),
        }
    }
}

impl Batch {
    /// True if the batch has no segments.
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether a segment is in the batch.
    pub(super) fn contains(&self, id: SegmentId) -> bool {
        self.segments.iter().any(|(known, _)| *known == id)
    }

    /// The batch's segments, each with its end.
    pub(super) fn segments(&self) -> &[(SegmentId, i64)] {
        &self.segments
    }

    /// Adds a segment. The known stacks must already include the segment's days.
    pub(super) fn add(&mut self, segment: SegmentRows, known: &mut KnownStacks) {
        self.segments.push((segment.id, segment.end_s()));
        self.row_bytes = self.row_bytes.saturating_add(segment.cost.row_bytes);
        self.taken.segment_count += 1;
        self.taken.ahead_count += u64::from(segment.is_ahead);
        let service = &segment.service;
        let hour = |time_s: i64| (service.clone(), hour_of(time_s));
        let counters =
            &mut self.hours.entry(hour(segment.start_s())).or_insert_with(|| HourRows::new(service)).counters;
        for (counter, value) in &segment.counters {
            counters.push(segment.start_s(), &segment.labels, (counter, *value));
        }
        for (mut observed, stack, thread) in segment.observations() {
            self.taken.sample_count += 1;
            observed.stack = self.place(&segment, (stack, day_of(observed.time_s)), known);
            let rows = self.hours.entry(hour(observed.time_s)).or_insert_with(|| HourRows::new(service));
            rows.add(observed, &segment, thread);
        }
    }

    /// Adds a stack to its day if the stack is new. Returns the `id` that the stack's samples refer to. If another
    /// stack has the same lower half of the identity, samples of the new stack are counted at the new stack's caller.
    fn place(&mut self, segment: &SegmentRows, (mut stack, day_s): (StackIndex, i64), known: &mut KnownStacks) -> i64 {
        let key = (segment.service.clone(), day_s);
        let known = known.of_day(&key);
        let new = known.path_to_known(&segment.tables, &segment.ids, stack);
        for row in new.into_iter().rev() {
            if known.add(segment.ids[row.row()]) {
                let rows = self.stacks.entry(key.clone()).or_insert_with(|| StackRows::new(&segment.service));
                rows.push(StackRow::of(&segment.tables, &segment.ids, row));
            }
        }
        while !known.contains(segment.ids[stack.row()]) {
            stack = segment.tables.stacks.parent[stack.row()];
            self.taken.collision_count += 1;
        }
        segment.ids[stack.row()].low()
    }

    /// Writes all rows.
    ///
    /// # Errors
    /// See [`FileError`].
    pub(super) async fn write(&mut self, store: &Store) -> Result<Vec<DataFile>, FileError> {
        let mut files = Vec::new();
        for ((service, day_s), rows) in &mut self.stacks {
            rows.finish();
            let span_s = (*day_s, *day_s);
            let file = PlacedFile { table: FleetTable::Stacks, service, span_s, level: Level::Fresh };
            files.push(write_file(store, file, &[rows.to_batch()]).await?);
        }
        for ((service, _), rows) in &mut self.hours {
            rows.write(store, service, &mut files).await?;
        }
        Ok(files)
    }
}

impl HourRows {
    fn add(&mut self, observed: Observation, segment: &SegmentRows, thread: usize) {
        let name = &segment.tables.threads.name[thread];
        for rows in [&mut self.samples, &mut self.rollup] {
            let (labels, thread) = (rows.labels(&segment.labels), rows.thread(name));
            rows.push(observed, labels, thread);
        }
    }

    async fn write(&mut self, store: &Store, service: &str, files: &mut Vec<DataFile>) -> Result<(), FileError> {
        let level = Level::Fresh;
        for (table, rows) in [(FleetTable::Samples, &mut self.samples), (FleetTable::Rollup, &mut self.rollup)] {
            if !rows.is_empty() {
                rows.finish();
                let file = PlacedFile { table, service, span_s: rows.span_s(), level };
                files.push(write_file(store, file, &[rows.to_batch()]).await?);
            }
        }
        if !self.counters.is_empty() {
            self.counters.finish();
            let span_s = self.counters.span_s();
            let file = PlacedFile { table: FleetTable::Counters, service, span_s, level };
            files.push(write_file(store, file, &[self.counters.to_batch()]).await?);
        }
        Ok(())
    }
}
