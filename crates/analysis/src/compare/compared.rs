//! Making a comparison of runs, and what is known about it as a whole.

use super::alignment::{Rename, align};
use super::overview::{ComparedCounter, counters};
use super::{Part, Per, Run};
use crate::flame_graph::FollowSides;
use crate::{AnalysisError, Profile, Side};
use serde::Serialize;
use whittle_model::{Manifest, MergedRuns, MetricDefinition};

/// What a comparison is about, for people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The baseline.
    pub baseline: ComparedSide,
    /// The candidate.
    pub candidate: ComparedSide,
    /// What all values are per.
    pub per: PerAnswer,
    /// How far it can be trusted, in a sentence.
    pub words: String,
}

/// What a comparison is about, and which thread is whose.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) comparison: Comparison,
    /// Number of the run of each thread, the baseline's first.
    pub(crate) run_of_thread: Vec<u32>,
    pub(crate) side_of_thread: Vec<Side>,
    /// What a unit of each side's sums counts for.
    pub(crate) scales: [f64; 2],
    /// The runs, the baseline's first.
    pub(crate) runs: Vec<ComparedRun>,
    /// Figures that are no sums of samples.
    pub(crate) counters: Vec<ComparedCounter>,
    /// Follows both sides into a flame graph.
    pub(crate) follow: FollowSides,
}

/// What all values are per.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerAnswer {
    /// Of what kind it is.
    #[serde(flatten)]
    pub per: Per,
    /// In words: `per message`.
    pub words: String,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedSide {
    /// Names of its runs.
    pub name: String,
    /// Number of its runs.
    pub runs: usize,
    /// Elapsed time of all its runs.
    pub duration_ns: u64,
    /// CPU time of all its runs.
    pub cpu_ns: f64,
    /// Units of work of all its runs. Missing: values are not per unit of work.
    pub units: Option<f64>,
}

/// One run of a comparison.
#[derive(Debug, Clone)]
pub(crate) struct ComparedRun {
    pub(crate) side: Side,
    pub(crate) units: Option<f64>,
    pub(crate) cpu_ns: f64,
}

impl Profile {
    /// Compares runs of a candidate with runs of a baseline. `per`: what values are per, missing: the usual. `renames`: names
    /// of the baseline that the candidate has changed.
    ///
    /// # Errors
    /// A side without runs, tables that break a promise of their documentation, or a run that did nothing of what values
    /// are to be per.
    pub fn compare(
        baseline: Vec<Run>,
        candidate: Vec<Run>,
        (per, renames): (Option<Per>, &[Rename]),
    ) -> Result<Self, AnalysisError> {
        let mut sides = [baseline, candidate];
        if sides.iter().any(Vec::is_empty) {
            return Err(AnalysisError::NothingToCompare);
        }
        for run in sides.iter().flatten() {
            run.tables.validate()?;
        }
        let all: Vec<&Run> = sides.iter().flatten().collect();
        let per = per.unwrap_or_else(|| Per::usual(&all));
        let mut compared = Compared::new(&sides, per)?;
        align(&mut sides, renames);
        let manifest = merged_manifest(&sides);
        let mut merged = MergedRuns::default();
        // The candidate's come first, so that it is its class files that are shown.
        let [baseline, candidate] = sides;
        let baseline_count = baseline.len();
        let numbered = candidate.into_iter().zip(baseline_count..).map(|(run, number)| (Side::Candidate, number, run));
        let numbered = numbered.chain(baseline.into_iter().zip(0..).map(|(run, number)| (Side::Baseline, number, run)));
        for (side, number, run) in numbered {
            let threads = merged.add(run.tables);
            compared.side_of_thread.resize(threads.end, side);
            compared.run_of_thread.resize(threads.end, number as u32);
        }
        Ok(Self::of_valid(manifest, merged.into_tables(), Some(compared)))
    }
}

impl Compared {
    fn new(sides: &[Vec<Run>; 2], per: Per) -> Result<Self, AnalysisError> {
        let mut amounts = [0.0; 2];
        for (amount, runs) in amounts.iter_mut().zip(sides) {
            for run in runs {
                *amount += per.amount(run)?;
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
        Ok(Self {
            runs: runs.map(run).collect(),
            counters: counters(sides, &per),
            follow: |followed, boxes| followed.values(boxes),
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
}

/// How far a comparison can be trusted.
fn trust(sides: &[Vec<Run>; 2], per: &Per) -> String {
    let fewest = sides.iter().map(Vec::len).min().unwrap_or(0);
    let runs = match fewest {
        0 | 1 => "one run on a side: a difference can only be said to look like one, since runs differ by themselves",
        2 => "two runs on a side: what differs between runs by itself is known badly",
        _ => "several runs on each side; `whittle verify` tells changes from what differs between runs by itself",
    };
    match per {
        Per::Unit(_) => runs.to_owned(),
        Per::Run => format!("{runs}. It is taken for granted that each run did the same work"),
        Per::Second | Per::CpuSecond => {
            format!("{runs}. Units of work are not known, so a program that does more in the same time looks dearer")
        }
    }
}

/// What the sides have in common: metrics of both, each once for every part; the rest is the candidate's.
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
