//! Makes a comparison of runs.

use crate::AnalysisError;
use crate::Profile;
use crate::compare::alignment::align;
use crate::compare::counters::counters;
use crate::compare::per::{amount, usual_per};
use crate::compare::{Rename, Run};
use crate::sides::{Compared, ComparedRun, ComparedSide, Comparison, Part, Per, PerAnswer, Side};
use whittle_model::{Manifest, MergedRuns, MetricDefinition};

/// Compares a candidate's runs with a baseline's runs. Values are divided by the number of `per` units. If `per` is
/// missing, the default unit is used. `renames` contains names that differ between baseline and candidate.
///
/// # Errors
/// A side without runs, tables that break a documented rule, or a run without units of `per`.
pub fn compare(
    baseline: Vec<Run>,
    candidate: Vec<Run>,
    (per, renames): (Option<Per>, &[Rename]),
) -> Result<Profile, AnalysisError> {
    let mut sides = [baseline, candidate];
    if sides.iter().any(Vec::is_empty) {
        return Err(AnalysisError::NothingToCompare);
    }
    for run in sides.iter().flatten() {
        run.tables.validate()?;
    }
    let all: Vec<&Run> = sides.iter().flatten().collect();
    let per = per.unwrap_or_else(|| usual_per(&all));
    let mut compared = compared(&sides, per)?;
    align(&mut sides, renames);
    let manifest = merged_manifest(&sides);
    let mut merged = MergedRuns::default();
    // The candidate's runs come first, so that views show the candidate's class files.
    let [baseline, candidate] = sides;
    let baseline_count = baseline.len();
    let numbered = candidate.into_iter().zip(baseline_count..).map(|(run, number)| (Side::Candidate, number, run));
    let numbered = numbered.chain(baseline.into_iter().zip(0..).map(|(run, number)| (Side::Baseline, number, run)));
    for (side, number, run) in numbered {
        let threads = merged.add(run.tables);
        compared.side_of_thread.resize(threads.end, side);
        compared.run_of_thread.resize(threads.end, number as u32);
    }
    Ok(Profile::of_valid(manifest, merged.into_tables(), Some(compared)))
}

/// The description of the comparison.
fn compared(sides: &[Vec<Run>; 2], per: Per) -> Result<Compared, AnalysisError> {
    let mut amounts = [0.0; 2];
    for (sum, runs) in amounts.iter_mut().zip(sides) {
        for run in runs {
            *sum += amount(&per, run)?;
        }
    }
    let is_unit = matches!(per, Per::Unit(_));
    let side = |index: usize| ComparedSide {
        name: sides[index].iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", "),
        runs: sides[index].len(),
        duration_ns: sides[index].iter().fold(0, |sum, run| sum + run.manifest.duration_ns),
        cpu_ns: sides[index].iter().map(Run::cpu_ns).sum(),
        units: is_unit.then_some(amounts[index]),
    };
    let run = |(side, run): (Side, &Run)| ComparedRun {
        side,
        units: if let Per::Unit(name) = &per { run.units(name) } else { None },
        cpu_ns: run.cpu_ns(),
    };
    let runs = Side::BOTH.into_iter().zip(sides).flat_map(|(side, runs)| runs.iter().map(move |run| (side, run)));
    Ok(Compared {
        runs: runs.map(run).collect(),
        counters: counters(sides, &per),
        run_of_thread: Vec::new(),
        side_of_thread: Vec::new(),
        scales: amounts.map(|amount| 1.0 / amount),
        comparison: Comparison {
            baseline: side(0),
            candidate: side(1),
            words: trust(sides, &per),
            per: PerAnswer { words: per.words(), per },
        },
    })
}

/// Describes in words how reliable a comparison is.
fn trust(sides: &[Vec<Run>; 2], per: &Per) -> String {
    let fewest = sides.iter().map(Vec::len).min().unwrap_or(0);
    let runs = match fewest {
        0 | 1 => "single runs: differences may be noise",
        2 => "two runs per side: too few to measure the noise between runs",
        _ => "several runs per side; `whittle verify` distinguishes changes from noise",
    };
    match per {
        Per::Unit(_) => runs.to_owned(),
        Per::Run => format!("{runs}. Whittle assumes that each run did the same work"),
        Per::Second | Per::CpuSecond => {
            format!(
                "{runs}. Units of work are unknown: a program that does more work in the same time shows higher cost"
            )
        }
    }
}

/// One manifest for both sides. It contains the metrics of both sides, each metric once per part. All other data is the
/// candidate's.
fn merged_manifest(sides: &[Vec<Run>; 2]) -> Manifest {
    let first = &sides[1][0].manifest;
    let mut metrics: Vec<MetricDefinition> = Vec::new();
    for metric in sides.iter().rev().flatten().flat_map(|run| &run.manifest.metrics) {
        if metrics.iter().all(|known| known.name != metric.name) {
            metrics.push(metric.clone());
        }
    }
    let mut manifest = Manifest::new(first.written_by.clone());
    manifest.state = first.state;
    manifest.duration_ns = sides.iter().flatten().map(|run| run.manifest.duration_ns).max().unwrap_or(0);
    manifest.host = first.host.clone();
    manifest.command = first.command.clone();
    manifest.jvm = first.jvm.clone();
    manifest.collectors = first.collectors.clone();
    manifest.metrics = metrics.into_iter().flat_map(|metric| Part::SUMS.map(|_| metric.clone())).collect();
    manifest
}
