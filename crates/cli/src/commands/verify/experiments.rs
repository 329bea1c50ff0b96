//! Makes evidence from experiments of earlier runs. Each experiment is a profiled run.

use super::arguments::VerifyArguments;
use crate::arguments::unit_count::UnitCount;
use crate::interleaved::finding::{self, Chosen, Wanted};
use crate::interleaved::{Evidence, run_of_experiment};
use std::path::{Path, PathBuf};
use whittle_model::SYSTEM_COUNTERS;
use whittle_profile::sides::Per;
use whittle_profile::{Profile, Side};
use whittle_terminal::Failure;
use whittle_verdict::verify::{Design, Doubt, DoubtKind, FindingCost, Order, PrintedMetric, Run};

/// An experiment of a side.
struct Collected {
    path: PathBuf,
    place: Place,
    /// The experiment's units of work, by name.
    units: Vec<(String, f64)>,
    run: Run,
}

/// When and where a run was made.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    side: Side,
    /// Name of the machine. Missing: unknown. Without host or start, the order of the runs is unknown.
    host: Option<String>,
    start_wall_ns: Option<u64>,
    duration_ns: u64,
}

/// Makes runs from experiments. `paths` contains each path with its side. The baseline's paths come first.
pub(super) fn evidence(
    arguments: &VerifyArguments,
    mut design: Design,
    paths: &[(Side, PathBuf)],
) -> Result<Evidence, Failure> {
    let (mut collected, chosen) = collected(arguments, paths)?;
    // Every run is evaluated, including the run in which the finding was chosen.
    let mut doubts: Vec<Doubt> = chosen.iter().map(|_| Chosen::doubt_of_choice()).collect();
    design.finding = chosen.map(|chosen| chosen.verified);
    doubts.extend(set_units(arguments, &mut design, &mut collected));
    collected.sort_by_key(|collected| collected.place.start_wall_ns);
    let places: Vec<Place> = collected.iter().map(|collected| collected.place.clone()).collect();
    design.order = if is_interleaved(&places) { Order::Interleaved } else { Order::Sequential };
    for (order, collected) in (0_u32..).zip(&mut collected) {
        collected.run.order = order;
        collected.run.pair = (design.order == Order::Interleaved).then_some(order / 2);
    }
    let experiments = collected.iter().map(|found| (found.run.side, found.path.clone(), found.run.units)).collect();
    let runs = collected.into_iter().map(|collected| collected.run).collect();
    Ok(Evidence { design, runs, doubts, experiments })
}

/// Reads all experiments, and chooses the finding in the baseline's first experiment.
fn collected(
    arguments: &VerifyArguments,
    paths: &[(Side, PathBuf)],
) -> Result<(Vec<Collected>, Option<Chosen>), Failure> {
    let mut chosen = None;
    let mut collected = Vec::new();
    for (number, (side, path)) in paths.iter().enumerate() {
        let profile = finding::load(path)?;
        if number == 0 {
            chosen = finding::choose(&profile, &Wanted::of(arguments.finding.as_deref()))?;
        }
        let cost = chosen.as_ref().map(|chosen: &Chosen| chosen.cost((*side, &profile), &arguments.rename));
        collected.push(Collected::of(*side, path, &profile, cost));
    }
    Ok((collected, chosen))
}

impl Collected {
    fn of(side: Side, path: &Path, profile: &Profile, finding: Option<FindingCost>) -> Self {
        let manifest = profile.manifest();
        let place = Place {
            side,
            host: manifest.host.as_ref().map(|host| host.name.clone()).filter(|name| !name.is_empty()),
            start_wall_ns: manifest.start_wall_ns,
            duration_ns: manifest.duration_ns,
        };
        let units = manifest.units_of_work.iter().filter(|unit| unit.amount > 0.0);
        let units = units.map(|unit| (unit.name.clone(), unit.amount)).collect();
        let run = Run { metrics: metrics(profile), finding, ..empty_run(side) };
        Self { path: path.to_owned(), place, units, run: run_of_experiment(profile, run) }
    }
}

fn empty_run(side: Side) -> Run {
    Run {
        side,
        pair: None,
        order: 0,
        is_profiled: true,
        elapsed_ns: 0,
        user_cpu_ns: 0,
        system_cpu_ns: 0,
        units: None,
        metrics: Vec::new(),
        finding: None,
    }
}

/// True if the runs are interleaved. They must have run on one machine, one after the other, in pairs of both sides.
/// Each side must be first in some pair. `places` are sorted by start.
fn is_interleaved(places: &[Place]) -> bool {
    let is_one_machine = places.iter().all(|place| place.host.is_some() && place.host == places[0].host);
    let is_after = |[one, next]: [&Place; 2]| {
        let ends = one.start_wall_ns.map(|start| start.saturating_add(one.duration_ns));
        ends.zip(next.start_wall_ns).is_some_and(|(ends, next)| ends <= next)
    };
    let is_one_by_one = places.windows(2).all(|pair| is_after([&pair[0], &pair[1]]));
    let has_first = |side: Side| places.chunks(2).any(|pair| pair[0].side == side);
    let are_pairs = places.len().is_multiple_of(2) && places.chunks(2).all(|pair| pair[0].side != pair[1].side);
    is_one_machine && is_one_by_one && are_pairs && Side::BOTH.into_iter().all(has_first)
}

/// Sets the units of work of each run: the number from the command line, or a unit that all runs have.
fn set_units(arguments: &VerifyArguments, design: &mut Design, collected: &mut [Collected]) -> Option<Doubt> {
    if let Some(UnitCount::Number(number)) = arguments.endpoint.unit_count {
        collected.iter_mut().for_each(|collected| collected.run.units = Some(number));
        return None;
    }
    let units: Vec<&[(String, f64)]> = collected.iter().map(|collected| &*collected.units).collect();
    if let Some(name) = shared_unit(&units, design.unit.as_deref()) {
        for collected in collected.iter_mut() {
            collected.run.units = amount(&collected.units, &name);
        }
        design.unit.get_or_insert(name);
        return None;
    }
    // If no run has units, the evaluation reports it.
    let has_any = units.iter().any(|units| !units.is_empty());
    let named = design.unit.take();
    let text = match named {
        Some(name) => format!("some experiments have no units of work with the name {name}, so costs are per run"),
        None => "the experiments have no unit of work in common: costs are per run".to_owned(),
    };
    has_any.then_some(Doubt { kind: DoubtKind::UnitsMissing, text })
}

/// A unit of work that all runs have: the `wanted` unit, or otherwise the first such unit.
fn shared_unit(runs: &[&[(String, f64)]], wanted: Option<&str>) -> Option<String> {
    let shared = |name: &&str| runs.iter().all(|units| amount(units, name).is_some());
    let first = runs.first()?.iter().map(|(name, _)| name.as_str());
    let found = match wanted {
        Some(wanted) => first.filter(|name| is_same_unit(name, wanted)).find(shared),
        None => first.into_iter().find(shared),
    };
    found.map(str::to_owned)
}

fn amount(units: &[(String, f64)], name: &str) -> Option<f64> {
    units.iter().find(|(found, _)| found == name).map(|(_, amount)| *amount)
}

/// True if two names mean the same unit. For example, experiments count `documents`, and the unit is a `document`.
fn is_same_unit(one: &str, other: &str) -> bool {
    let words = |name: &str| Per::Unit(name.to_owned()).words();
    one == other || words(one) == words(other)
}

/// The last value of each printed number.
fn metrics(profile: &Profile) -> Vec<PrintedMetric> {
    let counters = &profile.tables().counters;
    let mut metrics: Vec<PrintedMetric> = Vec::new();
    let is_printed = |name: &str| !SYSTEM_COUNTERS.contains(&name) && !name.ends_with("_count");
    for (name, value) in counters.counter.iter().zip(&counters.value).filter(|(name, _)| is_printed(name)) {
        match metrics.iter_mut().find(|metric| metric.name == *name) {
            Some(metric) => metric.value = *value,
            None => metrics.push(PrintedMetric { name: name.clone(), value: *value }),
        }
    }
    metrics
}

/// Whether a path is the folder of an experiment.
pub(super) fn is_experiment(path: &Path) -> bool {
    path.join("manifest.json").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Baseline as A, Candidate as B};

    /// Runs that take one second each. One run starts every second.
    fn places(sides: &[Side]) -> Vec<Place> {
        let place = |(second, side): (u64, &Side)| Place {
            side: *side,
            host: Some("host".to_owned()),
            start_wall_ns: Some(second * 1_000_000_000),
            duration_ns: 1_000_000_000,
        };
        (0..).zip(sides).map(place).collect()
    }

    #[test]
    fn interleaved_runs_are_distinguished_from_one_side_after_the_other() {
        let interleaved = |sides: &[Side]| is_interleaved(&places(sides));
        assert!(interleaved(&[A, B, B, A]) && interleaved(&[B, A, A, B, B, A]));
        assert!(!interleaved(&[A, B, A, B]), "always the same first");
        assert!(!interleaved(&[A, A, B, B]) && !interleaved(&[A, B]) && !interleaved(&[A, B, B]) && !interleaved(&[]));
    }

    #[test]
    fn runs_at_once_or_on_two_machines_are_not_interleaved() {
        let changed = |change: &dyn Fn(&mut Place)| {
            let mut places = places(&[A, B, B, A]);
            change(&mut places[1]);
            is_interleaved(&places)
        };
        assert!(changed(&|_| ()));
        assert!(!changed(&|place| place.duration_ns += 1));
        assert!(!changed(&|place| place.host = Some("other".to_owned())));
        assert!(!changed(&|place| place.host = None));
        assert!(!changed(&|place| place.start_wall_ns = None));
    }

    #[test]
    fn all_runs_have_the_unit() {
        let units = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 2.0)).collect::<Vec<_>>();
        let (both, one, other) = (units(&["bytes", "documents"]), units(&["documents"]), units(&["pages"]));
        assert_eq!(shared_unit(&[&both, &one], None).as_deref(), Some("documents"));
        assert_eq!(shared_unit(&[&both, &one], Some("document")).as_deref(), Some("documents"));
        assert_eq!(shared_unit(&[&both, &one], Some("bytes")), None);
        assert_eq!(shared_unit(&[&both, &both], Some("bytes")).as_deref(), Some("bytes"));
        assert_eq!(shared_unit(&[&one, &other], None), None);
        assert_eq!(shared_unit(&[&one, &[]], None), None);
    }
}
