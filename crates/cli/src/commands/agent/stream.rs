//! Packs the segments of one process, with labels and an identity, and puts them into the spool.

use super::labels::ProcessLabels;
use super::spool::Spool;
use super::targets::Admission;
use super::units::UnitCounter;
use crate::terminal::output;
use std::io::{self, Read};
use whittle_collect::SegmentSink;
use whittle_experiment::{SegmentError, segment_path, write_segment};
use whittle_model::{CounterValue, Manifest, SegmentId, StreamId, Tables, UnitOfWork};

/// Name of the counter of segments that were dropped since the last report.
const DROPPED: &str = "dropped_segments_count";

/// Receives the segments of one process.
pub(crate) struct Stream<'a> {
    /// The process, for messages.
    pub(crate) process_id: u32,
    pub(crate) admission: &'a Admission<'a>,
    pub(crate) spool: &'a Spool,
    pub(crate) labels: ProcessLabels<'a>,
    pub(crate) units: Vec<UnitCounter>,
    /// The next segment.
    pub(crate) next: SegmentId,
}

/// A unique number for a stream.
pub(crate) fn random_stream() -> io::Result<StreamId> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(StreamId(u128::from_ne_bytes(bytes)))
}

impl Stream<'_> {
    /// Returns the path and bytes of a segment that reports `dropped` lost segments.
    fn pack(
        &self,
        mut manifest: Manifest,
        mut tables: Tables,
        dropped: u64,
    ) -> Result<(String, Vec<u8>), SegmentError> {
        manifest.labels = self.labels.current().clone();
        manifest.segment = Some(self.next);
        if dropped > 0 {
            let counter = DROPPED.to_owned();
            tables.counters.push(CounterValue { time_ns: 0, counter, value: dropped as f64 });
        }
        let bytes = write_segment(&manifest, &tables)?;
        let path = segment_path(&manifest, &bytes)?;
        Ok((path, bytes))
    }
}

impl SegmentSink for Stream<'_> {
    fn count_work(&mut self) -> Vec<UnitOfWork> {
        self.units.iter_mut().filter_map(UnitCounter::take).collect()
    }

    fn take(&mut self, manifest: Manifest, tables: Tables) {
        self.labels.look_up();
        let reported = self.spool.take_dropped();
        let packed = self.pack(manifest, tables, reported);
        self.next.sequence += 1;
        let (path, bytes) = match packed {
            Ok(packed) => packed,
            Err(error) => {
                self.spool.note_lost(reported);
                return self.note(&format!("a segment is lost: {error}"));
            }
        };
        if !self.admission.take_bytes(bytes.len()) {
            self.spool.note_lost(reported);
            return self.note("a segment is dropped: the segments of this user have too many bytes");
        }
        match self.spool.add(&path, &bytes, reported) {
            Ok(0) => {}
            Ok(dropped) => {
                output::note(&format!("agent: the spool is full; the {dropped} oldest segments were dropped"))
            }
            Err(error) => self.note(&format!("a segment is lost because it cannot be written to the spool: {error}")),
        }
    }

    fn note(&mut self, note: &str) {
        output::note(&format!("agent: process {} ({}): {note}", self.process_id, self.labels.current()["service"]));
    }
}
