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
                "the {:.3} s before this segment: no agent collected the process, or its last segments were lost (killed \
                 agent, limits, full disk)",
                gap_ns as f64 / 1e9
            ));
        }
        let bytes = write_segment(&manifest, &tables)?;
        let path = segment_path(&manifest, &bytes)?;
        Ok((path, bytes))
    }

    /// The segment is in the spool. The end of a lost segment is not noted, so its time is part of the next gap.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::super::labels::{Labels, Subject};
    use super::super::targets::Targets;
    use super::*;
    use std::collections::BTreeMap;
    use whittle_model::Program;

    const SECOND: u64 = 1_000_000_000;
    /// A process that exists.
    const ONE: ProcessStart = (1, 30);

    fn segment(times: std::ops::Range<u64>) -> Manifest {
        let mut manifest = Manifest::new(Program { name: String::new(), version: String::new() });
        manifest.start_wall_ns = Some(1_763_769_600 * SECOND + times.start);
        manifest.start_monotonic_ns = Some(times.start);
        manifest.duration_ns = times.end - times.start;
        manifest
    }

    #[test]
    fn the_time_of_a_dropped_segment_is_part_of_the_gap() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 1 << 20).unwrap();
        let (gaps, _) = Gaps::open(folder.path()).unwrap();
        gaps.note_end(ONE, SECOND).unwrap();
        let targets = Targets::new(1);
        let admission = targets.admit(ONE.0, 0).unwrap();
        // Afterwards, the user has a million bytes.
        while admission.take_bytes(3_000_000) {}
        let subject = Subject { name: "shop".to_owned(), command: Vec::new(), environment: BTreeMap::new() };
        let labels = ProcessLabels::new(&subject, Labels::new(), &Labels::from([("host".to_owned(), "a".to_owned())]));
        let next = SegmentId { stream: StreamId(1), sequence: 0 };
        let (process, units) = (ONE, Vec::new());
        let mut stream = Stream {
            process,
            admission: &admission,
            spool: &spool,
            gaps: &gaps,
            labels,
            units,
            next,
            is_gap_told: false,
        };
        let mut too_large = segment(2 * SECOND..3 * SECOND);
        too_large.command = vec!["x".repeat(8_000_000)];
        stream.take(too_large, Tables::default());
        assert_eq!((spool.counts().dropped, gaps.before(ONE, 3 * SECOND)), (1, Some(2 * SECOND)));
        stream.take(segment(3 * SECOND..4 * SECOND), Tables::default());
        assert_eq!((spool.counts().waiting, gaps.before(ONE, 5 * SECOND)), (1, Some(SECOND)));
        assert!(gaps.report(true).unwrap().contains("1 processes have a gap of up to 2.0 s"));
    }
}
