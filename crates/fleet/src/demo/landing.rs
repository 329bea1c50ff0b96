//! Sends segments to a store. Their times are moved to the present and shifted by the error of their host's clock.

use super::{DemoError, VERSIONS, recorded_of};
use crate::question::{TimeRange, moment};
use std::collections::BTreeSet;
use whittle_experiment::{Segment, Store};
use whittle_model::Manifest;

/// Maximum error of a host's clock, ahead or behind, as a number of steps. The maximum is a few seconds, as on machines
/// without exact synchronisation.
const SKEW_STEPS: i64 = 6;

const SKEW_STEP_NS: i64 = 500_000_000;

const NS_PER_S: i64 = 1_000_000_000;

/// When the segments were recorded, and by how much their times are moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Names of the hosts.
    pub hosts: BTreeSet<String>,
    /// Recorded start of the first segment and end of the last segment, nanoseconds since 1970-01-01 UTC.
    pub recorded_ns: (i64, i64),
    /// Nanoseconds to add to all times.
    pub moved_ns: i64,
    /// Two time ranges, measured with the hosts' clocks: before the first host changes version, and after the last host
    /// has changed. If a program begins or ends in a segment, the segment is outside both time ranges.
    pub windows: [TimeRange; 2],
}

/// Half the length of a segment. Segments that start within this time count as simultaneous.
const NEAR_NS: i64 = 30 * NS_PER_S;

impl Recording {
    /// The recording of these segments. Their times are moved so that the last segment ends at `end_ns` or earlier on
    /// its host's clock.
    pub fn ending_at(segments: &[Segment], end_ns: i64) -> Self {
        let hosts = segments.iter().map(|segment| segment.manifest.label("host").to_owned()).collect();
        let start = segments.iter().map(|segment| start_ns(&segment.manifest)).min().unwrap_or(0);
        let end = segments.iter().map(|segment| start_ns(&segment.manifest) + length_ns(&segment.manifest)).max();
        let end = end.unwrap_or(0);
        let moved_ns = end_ns - SKEW_STEPS * SKEW_STEP_NS - end;
        let mut recording =
            Self { hosts, recorded_ns: (start, end), moved_ns, windows: [TimeRange { from_s: 0, to_s: 0 }; 2] };
        recording.windows = windows(segments, &recording);
        recording
    }

    /// The time range in whole minutes that contains all times in the store.
    pub fn time(&self) -> TimeRange {
        let (start_ns, end_ns) = self.recorded_ns;
        let most_ns = SKEW_STEPS * SKEW_STEP_NS;
        let from_s = (start_ns + self.moved_ns - most_ns).div_euclid(NS_PER_S);
        let to_s = (end_ns + self.moved_ns + most_ns).div_euclid(NS_PER_S) + 1;
        TimeRange { from_s, to_s }.widened(60)
    }

    /// The recorded time in words, in UTC.
    pub fn words(&self) -> String {
        let (start_ns, end_ns) = self.recorded_ns;
        format!("{} to {}", moment(start_ns.div_euclid(NS_PER_S)), moment(end_ns.div_euclid(NS_PER_S)))
    }
}

/// The windows before and after the change. A window begins and ends at common starts of segments. If all hosts begin a
/// segment at about the same time, the first of these starts is the common start. So each host has the same number of
/// segments in a window. An amount is counted at the start of its segment, but a sample is counted at its own time.
/// This causes errors at the start and at the end of a window. These errors compensate each other.
fn windows(segments: &[Segment], recording: &Recording) -> [TimeRange; 2] {
    let [old, new] = VERSIONS.map(|version| {
        let of_version = segments.iter().map(|segment| &segment.manifest).filter(|it| it.label("version") == version);
        of_version.map(|manifest| (manifest.label("host"), landed_ns(manifest, recording.moved_ns))).collect::<Vec<_>>()
    });
    let changed: BTreeSet<&str> = new.iter().map(|(host, _)| *host).collect();
    let of_host = |of: &[(&str, i64)], host: &str, choose: fn(i64, i64) -> i64| {
        of.iter().filter(|(name, _)| *name == host).map(|(_, start_ns)| *start_ns).reduce(choose).unwrap_or(0)
    };
    let first_after = |of: &[(&str, i64)], moment_ns: i64| {
        of.iter().map(|(_, start_ns)| *start_ns).filter(|start_ns| *start_ns > moment_ns).min().unwrap_or(moment_ns)
    };
    let begin_ns = first_after(&old, 0);
    // In the last segment of a version on a host, the program or the recording ends.
    let ending_ns = changed.iter().map(|host| of_host(&old, host, i64::max)).min().unwrap_or(0);
    let changed_ns = changed.iter().map(|host| of_host(&new, host, i64::min)).max().unwrap_or(0);
    let over_ns = changed.iter().map(|host| of_host(&new, host, i64::max)).min().unwrap_or(0);
    let before = [first_after(&old, begin_ns + NEAR_NS), first_after(&old, ending_ns - NEAR_NS)];
    let after = [first_after(&new, changed_ns + NEAR_NS), over_ns];
    [before, after].map(|window| {
        let [from_s, to_s] = window.map(|moment_ns| moment_ns.div_euclid(NS_PER_S));
        TimeRange { from_s, to_s }
    })
}

/// The start of a segment on the clock of its host.
fn landed_ns(manifest: &Manifest, moved_ns: i64) -> i64 {
    start_ns(manifest) + moved_ns + skew_ns(manifest.label("host"))
}

/// How far a host's clock is ahead, in nanoseconds. The value is constant for a host. Hosts with adjacent numbers have
/// different values.
fn skew_ns(host: &str) -> i64 {
    let number: i64 = host.bytes().filter(u8::is_ascii_digit).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    ((number * 7).rem_euclid(2 * SKEW_STEPS + 1) - SKEW_STEPS) * SKEW_STEP_NS
}

/// Writes the segments of one host to the store. Only the start times are changed. Returns the number of segments.
///
/// # Errors
/// The archive is damaged, or the store reports an error.
pub async fn land_host(store: &Store, host: &str, moved_ns: i64) -> Result<usize, DemoError> {
    let segments = recorded_of(host)?;
    let count = segments.len();
    for Segment { mut manifest, tables } in segments {
        manifest.start_wall_ns = Some(u64::try_from(landed_ns(&manifest, moved_ns)).unwrap_or(0));
        store.land(&manifest, &tables).await?;
    }
    Ok(count)
}

fn start_ns(manifest: &Manifest) -> i64 {
    manifest.start_wall_ns.and_then(|ns| i64::try_from(ns).ok()).unwrap_or(0)
}

fn length_ns(manifest: &Manifest) -> i64 {
    i64::try_from(manifest.duration_ns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn clocks_differ_by_seconds_and_neighbours_by_more_than_one() {
        let skews: Vec<i64> = (1..=30).map(|number| skew_ns(&format!("orders-{number:02}"))).collect();
        assert_eq!(skews.iter().collect::<BTreeSet<_>>().len(), 13);
        assert!(skews.iter().all(|skew| skew.abs() <= 3 * NS_PER_S));
        assert!(skews.windows(2).all(|pair| (pair[0] - pair[1]).abs() > NS_PER_S), "{skews:?}");
    }

    #[test]
    fn in_the_windows_programs_neither_begin_nor_end() {
        let segments = crate::demo::recorded().expect("the archive is whole");
        let recording = Recording::ending_at(&segments, 2_000_000_000 * NS_PER_S);
        let [before, after] = recording.windows;
        assert!(before.length_s() >= 100 && after.length_s() >= 100, "{recording:?}");
        for (window, version, hosts) in [(before, "1.0", 30), (after, "1.1", 20)] {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for Segment { manifest, .. } in &segments {
                let start_s = landed_ns(manifest, recording.moved_ns).div_euclid(NS_PER_S);
                if (window.from_s..window.to_s).contains(&start_s) && manifest.label("version") == version {
                    *counts.entry(manifest.label("host")).or_default() += 1;
                    assert!(!manifest.units_of_work.is_empty(), "{:?}", manifest.labels);
                }
            }
            let different: BTreeSet<usize> = counts.values().copied().collect();
            assert!(counts.len() == hosts && different.len() == 1, "{version}: {counts:?}");
        }
    }
}
