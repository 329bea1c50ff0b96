//! Packs the segments of one process, with labels and an identity, and puts them into the spool.

use super::gaps::{Gaps, ProcessStart};
use super::process_labels::ProcessLabels;
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

/// Name of the counter of the time before a segment in which no agent collected the process.
const GAP: &str = "gap_before_ns";

/// Receives the segments of one process.
pub(crate) struct Stream<'a> {
    pub(crate) process: ProcessStart,
    pub(crate) admission: &'a Admission<'a>,
    pub(crate) spool: &'a Spool,
    pub(crate) gaps: &'a Gaps,
    pub(crate) labels: ProcessLabels<'a>,
    pub(crate) units: Vec<UnitCounter>,
    /// The next segment.
    pub(crate) next: SegmentId,
    /// True after the first segment, which shows the gap since the last segment of an earlier agent.
    pub(crate) is_gap_told: bool,
}

/// A unique number for a stream.
pub(crate) fn random_stream() -> io::Result<StreamId> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(StreamId(u128::from_ne_bytes(bytes)))
}

/// What is missing before a segment.
#[derive(Debug, Clone, Copy)]
struct Missing {
    /// Segments of any process that were dropped, and that no segment has reported.
    dropped: u64,
    /// The time since the last segment of this process. `None`: no segment is missing, or another segment reports it.
    gap_ns: Option<u64>,
}

impl Stream<'_> {
    /// Returns the path and bytes of a segment that reports what is missing.
    fn pack(
        &self,
        mut manifest: Manifest,
        mut tables: Tables,
        missing: Missing,
    ) -> Result<(String, Vec<u8>), SegmentError> {
        manifest.labels = self.labels.current().clone();
        manifest.segment = Some(self.next);
        let mut count = |counter: &str, value: u64| {
            tables.counters.push(CounterValue { time_ns: 0, counter: counter.to_owned(), value: value as f64 });
        };
        if missing.dropped > 0 {
            count(DROPPED, missing.dropped);
        }
        if let Some(gap_ns) = missing.gap_ns {
            count(GAP, gap_ns);
            manifest.not_counted.push(format!(
                "the {:.3} s before this segment: no agent collected the process, or the agent was killed before it \
                 wrote a segment",
                gap_ns as f64 / 1e9
            ));
        }
        let bytes = write_segment(&manifest, &tables)?;
        let path = segment_path(&manifest, &bytes)?;
        Ok((path, bytes))
    }

    /// The segment is in the spool.
    fn added(&mut self, end_ns: Option<u64>, gap_ns: Option<u64>) {
        self.is_gap_told = true;
        gap_ns.into_iter().for_each(|gap_ns| self.gaps.count(gap_ns));
        let noted = end_ns.map_or(Ok(()), |end_ns| self.gaps.note_end(self.process, end_ns));
        if let Err(error) = noted {
            self.note(&format!("the next agent cannot know where this segment ends: {error}"));
        }
    }
}

impl SegmentSink for Stream<'_> {
    fn count_work(&mut self) -> Vec<UnitOfWork> {
        self.units.iter_mut().filter_map(UnitCounter::take).collect()
    }

    fn take(&mut self, manifest: Manifest, tables: Tables) {
        self.labels.look_up();
        let start_ns = manifest.start_monotonic_ns;
        let end_ns = start_ns.map(|start_ns| start_ns.saturating_add(manifest.duration_ns));
        let gap_ns = start_ns.filter(|_| !self.is_gap_told).and_then(|ns| self.gaps.before(self.process, ns));
        let reported = self.spool.take_dropped();
        let packed = self.pack(manifest, tables, Missing { dropped: reported, gap_ns });
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
            Ok(dropped) => {
                if dropped > 0 {
                    output::note(&format!("agent: the spool is full; the {dropped} oldest segments were dropped"));
                }
                self.added(end_ns, gap_ns);
            }
            Err(error) => self.note(&format!("a segment is lost because it cannot be written to the spool: {error}")),
        }
    }

    fn note(&mut self, note: &str) {
        output::note(&format!("agent: process {} ({}): {note}", self.process.0, self.labels.current()["service"]));
    }
}
