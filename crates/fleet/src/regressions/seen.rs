//! Where and when each version ran: CPU time and samples by host, version and period.

use super::units::Units;
use crate::engine::{EngineError, Numbers, Rows, Texts};
use crate::periods::Periods;
use std::collections::BTreeMap;
use whittle_model::EventKind;
use whittle_verdict::regressions::{HostCosts, HostPeriod, Upgrade};

/// Minimum part of a host's CPU time in a period. A version with a smaller part is treated as not running on this host.
const LEAST_PART: f64 = 0.01;

/// CPU time and samples of a version in each period, on one host.
type Course = Vec<(f64, f64)>;

/// Where and when each version ran.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// CPU time and samples by host and version.
    cells: BTreeMap<String, BTreeMap<String, Course>>,
    /// All versions in order of appearance. Versions that appeared together are sorted by name.
    pub(super) versions: Vec<String>,
}

impl Seen {
    /// Reads totals by host, version and period.
    pub(super) fn read(rows: &Rows, periods: Periods) -> Result<Self, EngineError> {
        let mut seen = Self::default();
        for batch in &rows.0 {
            let texts = ["host", "version", "event"].map(|name| Texts::of(batch, name));
            let [host, version, event] = texts;
            let (host, version, event) = (host?, version?, event?);
            let numbers = ["bucket", "duration_ns", "count"].map(|name| Numbers::of(batch, name));
            let [bucket, duration_ns, count] = numbers;
            let (bucket, duration_ns, count) = (bucket?, duration_ns?, count?);
            for row in (0..batch.num_rows()).filter(|row| event.value(*row) == EventKind::Cpu.name()) {
                let Some(period) = periods.of_bucket(bucket.value(row)) else { continue };
                let versions = seen.cells.entry(host.value(row).to_owned()).or_default();
                let course = versions.entry(version.value(row).to_owned());
                let course = course.or_insert_with(|| vec![(0.0, 0.0); periods.count]);
                course[period].0 += duration_ns.amount(row) as f64;
                course[period].1 += count.amount(row) as f64;
            }
        }
        seen.versions = seen.versions_by_appearance();
        Ok(seen)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.cells.keys().map(String::as_str)
    }

    /// For each period, whether a host ran each of two versions.
    pub(super) fn ran(&self, host: &str, versions: [&str; 2]) -> Vec<[bool; 2]> {
        let own = self.cells.get(host);
        let course = |version: &str| own.and_then(|versions| versions.get(version));
        let count = own.and_then(|versions| versions.values().next()).map_or(0, Vec::len);
        let ran = |period: usize| {
            let cpu = versions.map(|version| course(version).map_or(0.0, |course| course[period].0));
            cpu.map(|ns| ns > 0.0 && ns >= LEAST_PART * (cpu[0] + cpu[1]))
        };
        (0..count).map(ran).collect()
    }

    /// The costs of a host, for the versions that are compared.
    pub(super) fn host(
        &self,
        host: &str,
        upgrade: Option<Upgrade>,
        (is_compared, units): (impl Fn(&str) -> bool, &Units),
    ) -> HostCosts {
        let courses = || self.cells.get(host).into_iter().flatten();
        let counted = || courses().filter(|(version, _)| is_compared(version)).map(|(_, course)| course);
        let count = courses().next().map_or(0, |(_, course)| course.len());
        let period = |period: usize| HostPeriod {
            cpu_ns: counted().map(|course| course[period].0).sum(),
            samples: counted().map(|course| course[period].1).sum(),
            units: units.of(host, period),
        };
        HostCosts { host: host.to_owned(), upgrade, periods: (0..count).map(period).collect() }
    }

    fn versions_by_appearance(&self) -> Vec<String> {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (version, course) in self.cells.values().flatten() {
            if let Some(period) = course.iter().position(|cell| cell.0 > 0.0) {
                let known = first.entry(version).or_insert(period);
                *known = period.min(*known);
            }
        }
        let mut versions: Vec<(usize, &str)> = first.into_iter().map(|(version, period)| (period, version)).collect();
        versions.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_numbers(a.1).cmp(&by_numbers(b.1))));
        versions.into_iter().map(|(_, version)| version.to_owned()).collect()
    }
}

/// A version, split into parts that are sorted as numbers: `1.9` comes before `1.10`.
fn by_numbers(version: &str) -> Vec<(u64, String)> {
    let piece = |piece: &str| (piece.parse().unwrap_or(u64::MAX), piece.to_owned());
    version.split(|character: char| !character.is_ascii_alphanumeric()).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        let mut versions = ["1.10", "1.9", "2.0-rc1", "1.9.1"];
        versions.sort_by_key(|version| by_numbers(version));
        assert_eq!(versions, ["1.9", "1.9.1", "1.10", "2.0-rc1"]);
    }
}
