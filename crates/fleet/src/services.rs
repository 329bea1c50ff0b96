//! The services of the fleet: versions, machines, CPU time, what it costs, and how much of it is explained.

use crate::catalogue::Snapshot;
use crate::cost::{Cost, Price};
use crate::engine::{Numbers, Rows, Texts};
use crate::fleet::{Fleet, QueryError};
use crate::profile::{Counted, ExactAmounts};
use crate::question::{Question, Split};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use whittle_analysis::{DrawnCell, DrawnColumn, DrawnTable, Sheet, View};
use whittle_model::{EventKind, Losses, UnitOfWork};

/// The answer of [`Fleet::services`].
#[derive(Debug, Clone, Serialize)]
pub struct ServicesView {
    /// `services`.
    pub view: &'static str,
    /// Whose observations were asked for, in words.
    pub whose: String,
    /// The time asked for, in words.
    pub time: String,
    /// The first second in which anything was observed of the services asked for, whatever the time asked for; seconds since
    /// 1970-01-01 UTC. Missing: never.
    pub observed_from_s: Option<i64>,
    /// The last such second.
    pub observed_to_s: Option<i64>,
    /// What a core costs.
    #[serde(flatten)]
    pub price: Price,
    /// Services, those with most CPU time first.
    pub rows: Vec<ServiceRow>,
}

/// One service.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceRow {
    /// Its name.
    pub service: String,
    /// Its versions, with those that were seen in the time.
    pub versions: BTreeSet<String>,
    /// Its machines.
    pub hosts: BTreeSet<String>,
    /// Where they are.
    pub regions: BTreeSet<String>,
    /// Its other labels, each `name=value`.
    pub labels: BTreeSet<String>,
    /// Seconds of the time between its first and last observation.
    pub covered_s: i64,
    /// CPU time as the kernel counted it. Missing: nobody counted.
    pub exact_cpu_ns: Option<u64>,
    /// CPU time of the samples.
    pub sampled_cpu_ns: u64,
    /// `sampled_cpu_ns` of `exact_cpu_ns`. Missing: nobody counted.
    pub coverage_ratio: Option<f64>,
    /// Of the exact CPU time, or else of the sampled one.
    pub cost: Cost,
    /// Number of CPU samples.
    pub sample_count: u64,
    /// Number of segments that began in the time.
    pub segment_count: u64,
    /// What is missing, by reason.
    pub losses: Losses,
    /// Work that the programs said they did.
    pub units_of_work: Vec<UnitOfWork>,
}

/// What samples tell of a service.
#[derive(Debug, Default)]
struct Sampled {
    cpu_ns: u64,
    count: u64,
    seen: Vec<Counted>,
    labels: BTreeSet<String>,
}

impl Fleet {
    /// The services that were observed.
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
    DrawnColumn { above: "", title: "cost a year", field: "cost_per_year", is_number: true },
    DrawnColumn { above: "of exact CPU", title: "sampled %", field: "coverage_ratio", is_number: true },
    DrawnColumn { above: "", title: "samples", field: "sample_count", is_number: true },
    DrawnColumn { above: "", title: "machines", field: "host_count", is_number: true },
    DrawnColumn { above: "", title: "service", field: "service", is_number: false },
    DrawnColumn { above: "", title: "versions", field: "versions", is_number: false },
];

/// Versions that are named in a line; a service that is deployed all the time has many.
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
            format!("{total:.3} cores in all; {}", self.price.words()),
        ];
        DrawnTable { heading, columns: COLUMNS.to_vec(), rows: self.rows.iter().map(row).collect(), footer: Vec::new() }
            .into()
    }
}
