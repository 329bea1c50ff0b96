//! Records which segments are in the tables, as ranges of numbers for each stream.

use crate::table::check_time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use whittle_model::{SegmentId, StreamId};

/// All streams with a segment in the tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Streams(BTreeMap<StreamId, Stream>);

/// The segments of one stream in the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Ranges of segment numbers as (first, last), in order and with gaps between the ranges.
    ranges: Vec<(u64, u64)>,
    /// End of the latest segment according to the times in the tables, seconds since 1970-01-01 UTC.
    last_s: i64,
}

impl Streams {
    /// Whether the segment is in the tables.
    pub fn contains(&self, id: SegmentId) -> bool {
        self.0.get(&id.stream).is_some_and(|stream| stream.contains(id.sequence))
    }

    /// Remembers a segment that ends at `end_s`. Returns false if the segment was already remembered.
    pub fn add(&mut self, id: SegmentId, end_s: i64) -> bool {
        let stream = self.0.entry(id.stream).or_default();
        stream.last_s = stream.last_s.max(end_s);
        stream.add(id.sequence)
    }

    /// Why the ranges or times are wrong.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.0.iter().try_for_each(|(id, stream)| stream.check().map_err(|reason| format!("stream {id}: {reason}")))
    }

    /// Forgets streams that ended before `time_s`.
    pub fn forget_before(&mut self, time_s: i64) {
        self.0.retain(|_, stream| stream.last_s >= time_s);
    }
}

impl Stream {
    /// The ranges are in order and have gaps between them.
    fn check(&self) -> Result<(), String> {
        let has_gap = |pair: &[(u64, u64)]| pair[0].1.checked_add(1).is_some_and(|next| next < pair[1].0);
        let are_ordered = self.ranges.iter().all(|(first, last)| first <= last) && self.ranges.windows(2).all(has_gap);
        if !are_ordered {
            return Err("the ranges of segments are not in order".to_owned());
        }
        check_time(self.last_s)
    }

    fn contains(&self, sequence: u64) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= sequence);
        after > 0 && sequence <= self.ranges[after - 1].1
    }

    /// Adds a number. Returns false if the stream already has this number.
    fn add(&mut self, sequence: u64) -> bool {
        if self.contains(sequence) {
            return false;
        }
        let at = self.ranges.partition_point(|range| range.0 <= sequence);
        self.ranges.insert(at, (sequence, sequence));
        let joins = |pair: &[(u64, u64)]| pair[0].1.checked_add(1) == Some(pair[1].0);
        if at + 1 < self.ranges.len() && joins(&self.ranges[at..at + 2]) {
            self.ranges[at].1 = self.ranges.remove(at + 1).1;
        }
        if at > 0 && joins(&self.ranges[at - 1..=at]) {
            self.ranges[at - 1].1 = self.ranges.remove(at).1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use whittle_testkit::Seeded;

    #[test]
    fn numbers_in_any_order_are_kept_once_and_as_ranges() {
        let mut random = Seeded::new(7);
        for _ in 0..50 {
            let (mut stream, mut all) = (Stream::default(), BTreeSet::new());
            for _ in 0..60 {
                let sequence = random.bits() % 40;
                assert_eq!(stream.add(sequence), all.insert(sequence));
            }
            let listed: Vec<u64> = stream.ranges.iter().flat_map(|(first, last)| *first..=*last).collect();
            assert_eq!(listed, all.into_iter().collect::<Vec<_>>());
            assert!(stream.ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0), "{:?}", stream.ranges);
        }
    }

    #[test]
    fn ranges_without_order_are_refused() {
        let stream = |ranges: &[(u64, u64)]| Stream { ranges: ranges.to_vec(), last_s: 0 };
        stream(&[(0, 3), (5, 5)]).check().unwrap();
        for wrong in [&[(3, 0)][..], &[(0, 3), (4, 5)], &[(5, 5), (0, 3)], &[(0, u64::MAX), (2, 3)]] {
            assert!(stream(wrong).check().is_err(), "{wrong:?}");
        }
        assert!(Stream { ranges: vec![], last_s: -1 }.check().is_err());
    }
}
