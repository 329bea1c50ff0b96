//! Compares the fleet's answers with sums that are computed directly from the recorded segments, without tables and
//! engine.

use super::{CAUSES, DemoError, SERVICE, VERSIONS};
use crate::catalogue::Snapshot;
use crate::cost::Price;
use crate::fleet::Fleet;
use crate::question::{Question, Split, TimeRange, Whose};
use crate::services::ServiceRow;
use crate::share::ShareQuestion;
use std::collections::{BTreeMap, BTreeSet};
use whittle_experiment::Segment;
use whittle_model::{EventKind, Metric, normalized_name};
use whittle_profile::{Query, ViewMode};

/// The first method of the consumers' threads, in a class that each JVM names differently.
pub const LAMBDA: &str = "whittle.workloads.orders.OrdersProgram$$Lambda.run()";

/// Minimum share of each of the [`CAUSES`] in version 1.0. In the case study, the shares are 6 and 9 %.
const LEAST_SHARE_RATIO: f64 = 0.02;

/// Accepted difference between the CPU time of samples and the CPU time that the kernel counted, over all segments.
const COVERAGE_MARGIN_RATIO: f64 = 0.03;

/// The content of the segments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    /// Names of the hosts.
    pub hosts: BTreeSet<String>,
    /// The versions that ran on each host.
    pub versions: BTreeMap<String, BTreeSet<String>>,
    /// Number of segments.
    pub segment_count: u64,
    /// Number of samples of CPU time.
    pub sample_count: u64,
    /// CPU time of all samples.
    pub sampled_cpu_ns: u64,
    /// CPU time that the kernel counted for all threads.
    pub exact_cpu_ns: u64,
    /// Orders that the programs reported.
    pub orders: f64,
    /// The names that [`LAMBDA`] has in the segments.
    pub lambda_names: BTreeSet<String>,
}

impl Expected {
    /// Adds up segments.
    pub fn of(segments: &[Segment]) -> Self {
        let mut expected = Self { segment_count: segments.len() as u64, ..Self::default() };
        for Segment { manifest, tables } in segments {
            let host = manifest.label("host").to_owned();
            expected.versions.entry(host.clone()).or_default().insert(manifest.label("version").to_owned());
            expected.hosts.insert(host);
            expected.exact_cpu_ns += tables.threads.cpu_ns.iter().flatten().sum::<u64>();
            expected.orders += manifest.units_of_work.iter().map(|unit| unit.amount).sum::<f64>();
            let samples = &tables.samples;
            for row in (0..samples.time_ns.len()).filter(|row| samples.event[*row] == EventKind::Cpu) {
                expected.sample_count += samples.count[row];
                expected.sampled_cpu_ns += samples.duration_ns[row];
            }
            let names = tables.functions.display_name.iter().filter(|name| normalized_name(name) == LAMBDA);
            expected.lambda_names.extend(names.cloned());
        }
        expected
    }
}

/// The fleet's answers.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The service of the segments.
    pub service: ServiceRow,
    /// Names of functions that correspond to [`LAMBDA`].
    pub lambda_names: Vec<String>,
    /// The share of each of [`CAUSES`] in each of [`VERSIONS`].
    pub causes: [[f64; 2]; 2],
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The checked statement, with the compared values.
    pub what: String,
    /// Whether the statement is true.
    pub is_met: bool,
}

/// Queries the fleet and compares the answers with the expected values.
///
/// # Errors
/// A query has no answer.
pub async fn check(fleet: &Fleet, expected: &Expected, time: TimeRange) -> Result<Vec<Checked>, DemoError> {
    let seen = Seen::ask(fleet, time).await?;
    Ok(statements(expected, &seen))
}

impl Seen {
    /// The fleet's answers for a time range.
    ///
    /// # Errors
    /// A query has no answer.
    pub async fn ask(fleet: &Fleet, time: TimeRange) -> Result<Self, DemoError> {
        let snapshot = fleet.snapshot().await?;
        let whose = Whose { services: vec![SERVICE.to_owned()], ..Whose::default() };
        let question = Question { whose, time, split: Vec::new() };
        let services = fleet.services(&snapshot, &question, Price::default()).await?;
        let service = services.rows.into_iter().next();
        let service = service.ok_or_else(|| DemoError::Archive("the fleet has no service".to_owned()))?;
        let profile = fleet.ask(&snapshot, &question).await?.into_profile()?;
        let functions =
            whittle_views::functions::functions(&profile, &Query::default()).map_err(crate::fleet::QueryError::from)?;
        let names = functions.rows.into_iter().map(|row| row.function);
        let lambda_names = names.filter(|name| normalized_name(name) == LAMBDA).collect();
        let [first, second] = CAUSES;
        let causes =
            [shares(fleet, (&snapshot, &question), first).await?, shares(fleet, (&snapshot, &question), second).await?];
        Ok(Self { service, lambda_names, causes })
    }
}

/// A function's inclusive share of the CPU time of each version.
async fn shares(
    fleet: &Fleet,
    (snapshot, question): (&Snapshot, &Question),
    function: &str,
) -> Result<[f64; 2], DemoError> {
    let question = Question { split: vec![Split::Version], ..question.clone() };
    let (function, metric) = (function.to_owned(), Metric::Cpu.name().to_owned());
    let asked = ShareQuestion { question, function, mode: ViewMode::User, metric };
    let rows = fleet.share(snapshot, &asked, Price::default()).await?.rows;
    let of = |version: &str| rows.iter().find(|row| row.part == version).and_then(|row| row.inclusive_ratio);
    Ok(VERSIONS.map(|version| of(version).unwrap_or(f64::NAN)))
}

fn statements(expected: &Expected, seen: &Seen) -> Vec<Checked> {
    let service = &seen.service;
    let seconds = |ns: u64| ns as f64 / 1e9;
    let exact_ns = service.exact_cpu_ns.unwrap_or(0);
    let orders: f64 = service.units_of_work.iter().map(|unit| unit.amount).sum();
    let coverage = service.coverage_ratio.unwrap_or(0.0);
    let upgraded = expected.versions.values().filter(|versions| versions.len() > 1).count();
    let mut checked = vec![
        Checked {
            what: format!("{} hosts; {upgraded} hosts changed version", service.hosts.len()),
            is_met: service.hosts == expected.hosts && service.versions.iter().eq(VERSIONS),
        },
        Checked {
            what: format!("{} segments, each counted once", service.segment_count),
            is_met: service.segment_count == expected.segment_count,
        },
        Checked {
            what: format!(
                "{} samples with {:.3} s of CPU time, exactly as in the segments",
                service.sample_count,
                seconds(service.sampled_cpu_ns)
            ),
            is_met: (service.sample_count, service.sampled_cpu_ns) == (expected.sample_count, expected.sampled_cpu_ns),
        },
        Checked {
            what: format!(
                "the kernels counted {:.3} s of CPU time; samples explain {:.1} % of this time",
                seconds(exact_ns),
                100.0 * coverage
            ),
            is_met: exact_ns == expected.exact_cpu_ns && (coverage - 1.0).abs() <= COVERAGE_MARGIN_RATIO,
        },
        Checked { what: format!("{orders} orders consumed"), is_met: orders == expected.orders },
        Checked {
            what: format!("{LAMBDA} is one function; in the segments it has {} names", expected.lambda_names.len()),
            is_met: seen.lambda_names == [LAMBDA] && expected.lambda_names.len() >= expected.hosts.len(),
        },
    ];
    checked.extend(CAUSES.iter().zip(seen.causes).map(|(cause, [slow, fixed])| Checked {
        what: format!("{cause}: {:.1} % of version 1.0, {:.1} % of version 1.1", 100.0 * slow, 100.0 * fixed),
        is_met: slow >= LEAST_SHARE_RATIO && fixed == 0.0,
    }));
    checked
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{Losses, UnitOfWork};

    fn expected() -> Expected {
        let versions = VERSIONS.map(str::to_owned);
        Expected {
            hosts: ["a".to_owned()].into(),
            versions: [("a".to_owned(), versions.into())].into(),
            segment_count: 3,
            sample_count: 50,
            sampled_cpu_ns: 1_000,
            exact_cpu_ns: 1_010,
            orders: 7.0,
            lambda_names: ["A$$Lambda.0x1.run()".to_owned()].into(),
        }
    }

    fn seen() -> Seen {
        let service = ServiceRow {
            service: SERVICE.to_owned(),
            versions: VERSIONS.map(str::to_owned).into(),
            hosts: ["a".to_owned()].into(),
            regions: BTreeSet::new(),
            labels: BTreeSet::new(),
            covered_s: 1,
            exact_cpu_ns: Some(1_010),
            sampled_cpu_ns: 1_000,
            coverage_ratio: Some(1_000.0 / 1_010.0),
            cost: Price::default().cost(1_010.0, 1),
            sample_count: 50,
            segment_count: 3,
            losses: Losses::default(),
            units_of_work: vec![UnitOfWork { name: "orders".to_owned(), amount: 7.0, source: String::new() }],
        };
        Seen { service, lambda_names: vec![LAMBDA.to_owned()], causes: [[0.1, 0.0], [0.1, 0.0]] }
    }

    fn wrong_count(change: impl Fn(&mut Seen)) -> usize {
        let mut seen = seen();
        change(&mut seen);
        statements(&expected(), &seen).iter().filter(|statement| !statement.is_met).count()
    }

    #[test]
    fn each_figure_that_is_off_is_told() {
        assert_eq!(wrong_count(|_| {}), 0);
        assert_eq!(wrong_count(|seen| seen.service.hosts.extend(["b".to_owned()])), 1);
        assert_eq!(wrong_count(|seen| seen.service.segment_count += 1), 1);
        assert_eq!(wrong_count(|seen| seen.service.sampled_cpu_ns -= 1), 1);
        assert_eq!(wrong_count(|seen| seen.service.exact_cpu_ns = Some(1_011)), 1);
        assert_eq!(wrong_count(|seen| seen.service.units_of_work.clear()), 1);
        assert_eq!(wrong_count(|seen| seen.lambda_names.push("A$$Lambda.0x1.run()".to_owned())), 1);
        assert_eq!(wrong_count(|seen| seen.causes[0] = [0.1, 0.001]), 1);
        assert_eq!(wrong_count(|seen| seen.causes[1] = [0.01, 0.0]), 1);
    }
}
