//! Computes how much a change saved over the fleet. Compares two time ranges or two sets of machines: per unit of work,
//! per machine and in total.
//!
//! Savings are separate from regressions. Regressions compare each machine before and after the change, and leave out
//! machines that were absent on one side. Removed machines are often the reason for a saving, so savings include all
//! machines. Functions are not compared.
//!
//! ```text
//! counters by host ──> CPU time, covered time, CPUs, units of work ──> FleetUse of each side ──> analysis ──> view
//! ```

mod text;

use crate::catalogue::Snapshot;
use crate::cost::{Cost, Price};
use crate::engine::{Numbers, Texts};
use crate::fleet::{Fleet, QueryError};
use crate::profile::{CPU_COUNTER, Counted, ExactAmounts};
use crate::question::{Question, Split};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_model::EventKind;
use whittle_verdict::regressions::{FleetUse, Saving, SavingKind, fleet_saving};

const NS_PER_S: f64 = 1e9;

/// The query.
#[derive(Debug, Clone, PartialEq)]
pub struct SavingQuestion {
    /// Time range and machines before the change.
    pub before: Question,
    /// Time range and machines after the change.
    pub after: Question,
    /// The unit of work. Missing: the first unit that all machines on both sides report.
    pub unit: Option<String>,
}

/// The answer of [`Fleet::saving`].
#[derive(Debug, Clone, Serialize)]
pub struct SavingView {
    /// The text `saving`.
    pub view: &'static str,
    /// The observations on the side after the change, in words.
    pub whose: String,
    /// The price of a core.
    #[serde(flatten)]
    pub price: Price,
    /// The unit of work. Missing: not all machines on both sides report a unit.
    pub unit: Option<String>,
    /// The side before the change.
    pub before: UseView,
    /// The side after the change.
    pub after: UseView,
    /// The savings. CPU time per unit of work is the most reliable value, so it is first if it is known.
    pub savings: Vec<Saving>,
    /// The savings in sentences.
    pub sentences: Vec<String>,
    /// The saved cores and money. The values are negative if the cost increased.
    pub saved: Cost,
    /// How the cost without the change is computed for `saved`. `PerUnit`: the amount of work after the change, at the
    /// cost per unit before the change. `Fleet`: the total cost before the change. `PerMachine`, if the machines are
    /// different: the number of machines after the change, at the cost per machine before the change.
    pub saved_by: SavingKind,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UseView {
    /// The observations, in words.
    pub whose: String,
    /// The time range, in words.
    pub time: String,
    /// Start of the requested time range, seconds since 1970-01-01 UTC.
    pub from_s: i64,
    /// End of the requested time range, exclusive.
    pub to_s: i64,
    /// Seconds from the first to the last observation of these machines in the time range.
    pub covered_s: i64,
    /// Average number of machines over `covered_s`.
    pub machine_count: f64,
    /// All machines that were seen.
    pub hosts: Vec<String>,
    /// Mean share of a machine's CPUs that were in use. Missing: some machines did not report their number of CPUs.
    pub cpu_ratio: Option<f64>,
    /// CPU seconds of all machines.
    pub cpu_seconds: f64,
    /// Whether the kernel counted the CPU time. Otherwise the CPU time is computed from samples.
    pub is_exact: bool,
    /// Units of work. Missing: not all machines report units.
    pub units: Option<f64>,
    /// Cost of the CPU time.
    pub cost: Cost,
}

/// The machines of one side.
struct Machines {
    /// Exact amounts by host.
    amounts: BTreeMap<String, ExactAmounts>,
    /// CPU time of samples by host, nanoseconds.
    sampled_ns: BTreeMap<String, f64>,
}

impl Fleet {
    /// The saving from one side to the other.
    ///
    /// # Errors
    /// See [`QueryError`]. A side without observations is an error.
    pub async fn saving(
        &self,
        snapshot: &Snapshot,
        asked: &SavingQuestion,
        price: Price,
    ) -> Result<SavingView, QueryError> {
        let (before, after) =
            futures::try_join!(self.machines(snapshot, &asked.before), self.machines(snapshot, &asked.after))?;
        let unit = match &asked.unit {
            Some(unit) => Some(unit.clone()),
            None => before.units().into_iter().find(|unit| after.units().contains(unit)),
        };
        // Both sides use the same source of CPU time. If every machine has the kernel's counts, both sides use these
        // counts.
        let is_exact = before.is_exact() && after.is_exact();
        let side = |machines: &Machines, question: &Question| {
            let covered_s = machines.covered_s().min(question.covered_s(snapshot)).max(1);
            machines.side(question, (covered_s, price), (unit.as_deref(), is_exact))
        };
        let is_same_fleet = asked.before.whose == asked.after.whose;
        let (before, after) = (side(&before, &asked.before), side(&after, &asked.after));
        Ok(view((before, after), (unit, is_same_fleet), price))
    }

    async fn machines(&self, snapshot: &Snapshot, question: &Question) -> Result<Machines, QueryError> {
        self.check_services(snapshot, question)?;
        let question = Question { split: vec![Split::Host], ..question.clone() };
        let totals = question.totals(snapshot);
        let (rows, exact) = futures::try_join!(self.rows(&totals.sql, &totals.files), self.exact(snapshot, &question))?;
        let mut sampled_ns: BTreeMap<String, f64> = BTreeMap::new();
        for batch in &rows.0 {
            let (host, event) = (Texts::of(batch, "host")?, Texts::of(batch, "event")?);
            let duration_ns = Numbers::of(batch, "duration_ns")?;
            for row in (0..batch.num_rows()).filter(|row| event.value(*row) == EventKind::Cpu.name()) {
                *sampled_ns.entry(host.value(row).to_owned()).or_default() += duration_ns.amount(row) as f64;
            }
        }
        let amounts = by_host(&exact);
        if amounts.is_empty() {
            return Err(crate::fleet::nothing_observed(snapshot, &question));
        }
        Ok(Machines { amounts, sampled_ns })
    }
}

fn by_host(exact: &BTreeMap<Counted, ExactAmounts>) -> BTreeMap<String, ExactAmounts> {
    let mut hosts: BTreeMap<String, Vec<&ExactAmounts>> = BTreeMap::new();
    exact.iter().for_each(|(counted, amounts)| hosts.entry(counted.host.clone()).or_default().push(amounts));
    hosts.into_iter().map(|(host, amounts)| (host, ExactAmounts::sum(amounts))).collect()
}

/// How long a machine was observed, in nanoseconds. Several processes of a machine can cover the same time. So the
/// value is at most the time from the start of the first segment to the end of the last segment.
fn covered_ns(amounts: &ExactAmounts) -> f64 {
    let covered = amounts.covered_ns as f64;
    let of_a_segment = covered / amounts.segment_count.max(1) as f64;
    let span = amounts.first_s.zip(amounts.last_s).map(|(first_s, last_s)| (last_s - first_s) as f64 * NS_PER_S);
    span.map_or(covered, |span| covered.min(span + of_a_segment))
}

impl Machines {
    /// Seconds from the start of the first segment to the end of the last segment of these machines.
    fn covered_s(&self) -> i64 {
        let first_s = self.amounts.values().filter_map(|amounts| amounts.first_s).min();
        let end_s = |amounts: &ExactAmounts| {
            let of_a_segment = amounts.covered_ns as f64 / NS_PER_S / amounts.segment_count.max(1) as f64;
            amounts.last_s.map(|last_s| last_s.saturating_add(of_a_segment.ceil() as i64))
        };
        let end_s = self.amounts.values().filter_map(end_s).max();
        first_s.zip(end_s).map_or(1, |(first_s, end_s)| end_s.saturating_sub(first_s))
    }

    /// Units of work that every machine reports.
    fn units(&self) -> Vec<String> {
        let is_everywhere = |name: &str| self.amounts.values().all(|amounts| amounts.is_told(name));
        let names = self.amounts.values().next().into_iter().flat_map(|amounts| &amounts.units);
        names.map(|unit| unit.name.clone()).filter(|name| is_everywhere(name)).collect()
    }

    fn is_exact(&self) -> bool {
        self.amounts.values().all(|amounts| amounts.cpu_ns > 0 && amounts.is_told(CPU_COUNTER))
    }

    fn side(
        &self,
        question: &Question,
        (covered_s, price): (i64, Price),
        (unit, is_exact): (Option<&str>, bool),
    ) -> UseView {
        let cpu_of = |(host, amounts): (&String, &ExactAmounts)| {
            if is_exact { amounts.cpu_ns as f64 } else { self.sampled_ns.get(host).copied().unwrap_or(0.0) }
        };
        let cpu_ns: f64 = self.amounts.iter().map(cpu_of).sum();
        let covered: f64 = self.amounts.values().map(covered_ns).sum();
        let available: Option<f64> =
            self.amounts.values().map(|amounts| amounts.cpu_count.map(|count| count * covered_ns(amounts))).sum();
        let of_unit = |amounts: &ExactAmounts| {
            let known = amounts.units.iter().find(|known| Some(known.name.as_str()) == unit);
            known.filter(|known| amounts.is_told(&known.name)).map(|known| known.amount)
        };
        let units: Option<f64> = self.amounts.values().map(of_unit).sum();
        UseView {
            whose: question.whose.words(),
            time: question.time.to_string(),
            from_s: question.time.from_s,
            to_s: question.time.to_s,
            covered_s,
            machine_count: covered / NS_PER_S / covered_s.max(1) as f64,
            hosts: self.amounts.keys().cloned().collect(),
            cpu_ratio: available.filter(|available| *available > 0.0).map(|available| cpu_ns / available),
            cpu_seconds: cpu_ns / NS_PER_S,
            is_exact,
            units,
            cost: price.cost(cpu_ns, covered_s),
        }
    }
}

impl UseView {
    fn fleet_use(&self) -> FleetUse {
        FleetUse {
            machine_count: self.machine_count,
            cpu_ratio: self.cpu_ratio,
            cpu_seconds: Some(self.cpu_seconds),
            units: self.units,
        }
    }
}

fn view(
    (before, after): (UseView, UseView),
    (unit, is_same_fleet): (Option<String>, bool),
    price: Price,
) -> SavingView {
    let saving = fleet_saving(before.fleet_use(), after.fleet_use());
    // If the sides have different machines, their totals cannot be compared.
    let saving = if is_same_fleet { saving } else { saving.without(SavingKind::Fleet) };
    let per_unit = saving.ratio(SavingKind::PerUnit).filter(|ratio| *ratio < 1.0);
    let (saved_by, without_cores) = match per_unit {
        // The amount of work after the change, at the cost per unit before the change.
        Some(ratio) => (SavingKind::PerUnit, after.cost.cores / (1.0 - ratio)),
        None if is_same_fleet => (SavingKind::Fleet, before.cost.cores),
        None => {
            let cores_of_a_machine = before.cost.cores / before.machine_count.max(f64::MIN_POSITIVE);
            (SavingKind::PerMachine, cores_of_a_machine * after.machine_count)
        }
    };
    let saved = price.cost((without_cores - after.cost.cores) * NS_PER_S, 1);
    let notes = notes(&before, &after, unit.as_deref());
    SavingView {
        view: "saving",
        whose: after.whose.clone(),
        price,
        unit: unit.filter(|_| before.units.is_some() && after.units.is_some()),
        before,
        after,
        savings: saving.savings,
        sentences: saving.sentences,
        saved,
        saved_by,
        notes,
    }
}

fn notes(before: &UseView, after: &UseView, unit: Option<&str>) -> Vec<String> {
    let mut notes = Vec::new();
    let side = |is_before: bool| if is_before { "before" } else { "after" };
    match unit {
        None => notes.push(
            "The saving per unit of work is unknown. It needs a unit of work that all machines on both sides \
             report (units of work in the segments)"
                .to_owned(),
        ),
        Some(unit) => {
            for (side_of, is_before) in [(before, true), (after, false)] {
                if side_of.units.is_none() {
                    notes.push(format!("Some machines do not report {unit} {}", side(is_before)));
                }
            }
        }
    }
    if before.cpu_ratio.is_none() || after.cpu_ratio.is_none() {
        notes.push(
            "Some machines do not report their number of CPUs, so savings per machine and over the fleet are unknown"
                .to_owned(),
        );
    }
    if !after.is_exact {
        notes.push("CPU time is computed from samples, because not every machine has exact CPU time".to_owned());
    }
    let lengths = [before.covered_s, after.covered_s].map(|length_s| length_s as f64);
    if lengths[0].min(lengths[1]) < SIMILAR_LENGTH * lengths[0].max(lengths[1]) {
        notes.push(
            "The time ranges have different lengths. If the load changes during the day, the two time ranges cover different parts of the day".to_owned(),
        );
    }
    notes
}

/// If the ratio of the lengths of the two sides is smaller than this value, a note reports the difference.
const SIMILAR_LENGTH: f64 = 0.9;
