//! Data about a comparison as a whole: its sides, its runs, and the unit by which values are divided.

use crate::sides::{Better, Per, Side};
use serde::Serialize;
use whittle_model::Unit;

/// The comparison as shown to the user.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Comparison {
    /// The baseline.
    pub baseline: ComparedSide,
    /// The candidate.
    pub candidate: ComparedSide,
    /// The unit by which all values are divided.
    pub per: PerAnswer,
    /// A sentence about how reliable the comparison is.
    pub words: String,
}

/// A comparison, and the run and side of each thread.
#[derive(Debug)]
pub struct Compared {
    /// The comparison as shown to the user.
    pub comparison: Comparison,
    /// For each thread, the number of its run; the baseline's runs come first.
    pub run_of_thread: Vec<u32>,
    /// The side of each thread.
    pub side_of_thread: Vec<Side>,
    /// For each side, the factor that converts its sums to values per unit.
    pub scales: [f64; 2],
    /// The runs; the baseline's runs come first.
    pub runs: Vec<ComparedRun>,
    /// Values that are not sums over samples.
    pub counters: Vec<ComparedCounter>,
}

/// The unit by which all values are divided.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PerAnswer {
    /// The kind of unit.
    #[serde(flatten)]
    pub per: Per,
    /// The unit as text: `per message`.
    pub words: String,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedSide {
    /// Names of the side's runs.
    pub name: String,
    /// Number of the side's runs.
    pub runs: usize,
    /// Elapsed time of all runs of the side.
    pub duration_ns: u64,
    /// CPU time of all runs of the side.
    pub cpu_ns: f64,
    /// Units of work of all runs of the side. Missing if values are not per unit of work.
    pub units: Option<f64>,
}

/// One run of a comparison.
#[derive(Debug, Clone)]
pub struct ComparedRun {
    /// The side of the run.
    pub side: Side,
    /// Units of work of the run. Missing if the number is unknown.
    pub units: Option<f64>,
    /// CPU time in nanoseconds.
    pub cpu_ns: f64,
}

/// A value that is not a sum over samples. Each side has the mean of its runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedCounter {
    /// Name of the value.
    pub title: String,
    /// Unit of the value. Missing if the program printed the number. In this case, the name contains the unit.
    pub unit: Option<Unit>,
    /// The baseline's value.
    pub baseline: f64,
    /// The candidate's value.
    pub candidate: f64,
    /// Which direction is better.
    pub is_better_when: Better,
}
