//! Lists the services of the fleet, with versions, machines, CPU time, cost, and the part of the CPU time that samples
//! explain.

use crate::catalogue::Snapshot;
use crate::cost::{Cost, Price};
use crate::engine::{Numbers, Rows, Texts};
use crate::fleet::{Fleet, QueryError};
use crate::profile::{Counted, ExactAmounts};
use crate::question::{Question, Split};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use whittle_model::{EventKind, Losses, UnitOfWork};
use whittle_render::{DrawnCell, DrawnColumn, DrawnTable, Sheet, View};

/// The answer of [`Fleet::services`].
#[derive(Debug, Clone, Serialize)]
pub struct ServicesView {
    /// The text `services`.
    pub view: &'static str,
    /// The requested observations, in words.
    pub whose: String,
    /// The requested time range, in words.
    pub time: String,
    /// Time of the first observation of the requested services, in any time range. The unit is seconds since 1970-01-01
    /// UTC. Missing: there are no observations.
    pub observed_from_s: Option<i64>,
    /// Time of the last observation of these services, in the same unit.
    pub observed_to_s: Option<i64>,
    /// The price of a core.
    #[serde(flatten)]
    pub price: Price,
    /// One row per service, sorted by CPU time, the largest first.
    pub rows: Vec<ServiceRow>,
}

/// One service.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceRow {
    /// Name of the service.
    pub service: String,
    /// Versions of the service that were seen in the time range.
    pub versions: BTreeSet<String>,
    /// Machines of the service.
    pub hosts: BTreeSet<String>,
    /// Regions of these machines.
    pub regions: BTreeSet<String>,
    /// Other labels of the service, each `name=value`.
    pub labels: BTreeSet<String>,
    /// Number of seconds between the service's first and last observation.
    pub covered_s: i64,
    /// CPU time that the kernel counted. Missing: the kernel did not count CPU time.
    pub exact_cpu_ns: Option<u64>,
    /// CPU time of the samples.
    pub sampled_cpu_ns: u64,
    /// `sampled_cpu_ns` divided by `exact_cpu_ns`. Missing: the kernel did not count CPU time.
    pub coverage_ratio: Option<f64>,
    /// Cost of the exact CPU time, or of the sampled CPU time if there is no exact value.
    pub cost: Cost,
    /// Number of CPU samples.
    pub sample_count: u64,
    /// Number of segments that began in the time range.
    pub segment_count: u64,
    /// Missing data, by reason.
    pub losses: Losses,
    /// Work that the programs reported.
    pub units_of_work: Vec<UnitOfWork>,
}

/// The values of a service that are computed from samples.
#[derive(Debug, Default)]
struct Sampled {
    cpu_ns: u64,
    count: u64,
    seen: Vec<Counted>,
    labels: BTreeSet<String>,
}

impl Fleet {
    /// Lists the services that were observed.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn services(
        &self,
        snapshot: &Snapshot,
        question: &Question,
        price: Price,
    ) -> Result<ServicesView, QueryError> {
        let split = vec![Split::Service, Split::Host, Split::Version, Split::Region, Split::Labels];
        let question = Question { split, ..question.clone() };
        let asked = question.totals(snapshot);
        let (rows, exact) = futures::try_join!(self.rows(&asked.sql, &asked.files), self.exact(snapshot, &question))?;
        let mut sampled = read_sampled(&rows)?;
        let names: BTreeSet<String> =
            sampled.keys().cloned().chain(exact.keys().map(|counted| counted.service.clone())).collect();
        let mut rows: Vec<ServiceRow> = names
            .into_iter()
            .map(|service| {
                let mut of_service = question.clone();
                of_service.whose.services = vec![service.clone()];
                let sampled = sampled.remove(&service).unwrap_or_default();
                row(service, (sampled, &exact), (of_service.covered_s(snapshot), price))
            })
            .collect();
        rows.sort_by(|a, b| b.cost.cores.total_cmp(&a.cost.cores).then_with(|| a.service.cmp(&b.service)));
        let observed = question.observed(snapshot);
        Ok(ServicesView {
            view: "services",
            whose: question.whose.words(),
            time: question.time.to_string(),
            observed_from_s: observed.map(|(first_s, _)| first_s),
            observed_to_s: observed.map(|(_, last_s)| last_s),
            price,
            rows,
        })
    }
}

fn read_sampled(rows: &Rows) -> Result<BTreeMap<String, Sampled>, QueryError> {
    let mut services: BTreeMap<String, Sampled> = BTreeMap::new();
    for batch in &rows.0 {
        let texts = ["service", "host", "version", "region", "labels", "event"].map(|name| Texts::of(batch, name));
        let [service, host, version, region, labels, event] = texts;
        let (service, host, version, region) = (service?, host?, version?, region?);
        let (labels, event) = (labels?, event?);
        let (count, duration_ns) = (Numbers::of(batch, "count")?, Numbers::of(batch, "duration_ns")?);
        for row in 0..batch.num_rows() {
            let [name, host, version, region] =
                [&service, &host, &version, &region].map(|texts| texts.value(row).to_owned());
            let sampled = services.entry(name.clone()).or_default();
            if event.value(row) == EventKind::Cpu.name() {
                sampled.cpu_ns = sampled.cpu_ns.saturating_add(duration_ns.amount(row));
                sampled.count = sampled.count.saturating_add(count.amount(row));
            }
            let others = labels.value(row).split(',').filter(|label| !label.is_empty());
            sampled.labels.extend(others.map(str::to_owned));
            sampled.seen.push(Counted { service: name, host, version, region });
        }
    }
    Ok(services)
}

fn row(
    service: String,
    (sampled, exact): (Sampled, &BTreeMap<Counted, ExactAmounts>),
    (covered_s, price): (i64, Price),
) -> ServiceRow {
    let own = || exact.iter().filter(|(counted, _)| counted.service == service);
    let sum = ExactAmounts::sum(own().map(|(_, amounts)| amounts));
    let seen = || own().map(|(counted, _)| counted).chain(&sampled.seen);
    let names = |of: fn(&Counted) -> &String| seen().map(of).filter(|name| !name.is_empty()).cloned().collect();
    let exact_cpu_ns = Some(sum.cpu_ns).filter(|ns| *ns > 0);
    ServiceRow {
        versions: names(|counted| &counted.version),
        hosts: names(|counted| &counted.host),
        regions: names(|counted| &counted.region),
        labels: sampled.labels,
        covered_s,
        exact_cpu_ns,
        sampled_cpu_ns: sampled.cpu_ns,
        coverage_ratio: exact_cpu_ns.map(|exact| sampled.cpu_ns as f64 / exact as f64),
        cost: price.cost(exact_cpu_ns.unwrap_or(sampled.cpu_ns) as f64, covered_s),
        sample_count: sampled.count,
        segment_count: sum.segment_count,
        losses: sum.losses,
        units_of_work: sum.units,
        service,
    }
}

const COLUMNS: [DrawnColumn; 7] = [
    DrawnColumn { above: "", title: "cores", field: "cores", is_number: true },
    DrawnColumn { above: "", title: "cost per year", field: "cost_per_year", is_number: true },
    DrawnColumn { above: "of exact CPU", title: "sampled %", field: "coverage_ratio", is_number: true },
    DrawnColumn { above: "", title: "samples", field: "sample_count", is_number: true },
    DrawnColumn { above: "", title: "machines", field: "host_count", is_number: true },
    DrawnColumn { above: "", title: "service", field: "service", is_number: false },
    DrawnColumn { above: "", title: "versions", field: "versions", is_number: false },
];

/// Maximum number of versions in a line. A service with continuous deployment has many versions.
const SHOWN_VERSIONS: usize = 5;

impl View for ServicesView {
    fn sheet(&self) -> Sheet {
        let row = |row: &ServiceRow| {
            let coverage = row.coverage_ratio;
            let versions: Vec<&str> = row.versions.iter().map(String::as_str).collect();
            let more = versions.len().saturating_sub(SHOWN_VERSIONS);
            let shown = versions[more..].join(", ");
            vec![
                DrawnCell::number(Some(row.cost.cores), 3),
                DrawnCell::number(Some(row.cost.cost_per_year), 0),
                DrawnCell {
                    raw: DrawnCell::number(coverage, 4).raw,
                    ..DrawnCell::number(coverage.map(|ratio| ratio * 100.0), 1)
                },
                DrawnCell::number(Some(row.sample_count as f64), 0),
                DrawnCell::number(Some(row.hosts.len() as f64), 0),
                DrawnCell::text(&row.service),
                DrawnCell {
                    text: if more > 0 { format!("{more} more, {shown}") } else { shown },
                    raw: versions.join(" "),
                },
            ]
        };
        let total: f64 = self.rows.iter().map(|row| row.cost.cores).sum();
        let heading = vec![
            format!("Services of {}, {} UTC", self.whose, self.time),
            format!("{total:.3} cores in total; {}", self.price.words()),
        ];
        DrawnTable { heading, columns: COLUMNS.to_vec(), rows: self.rows.iter().map(row).collect(), footer: Vec::new() }
            .into()
    }
}
