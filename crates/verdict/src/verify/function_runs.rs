//! What each function cost in each profiled run.

use crate::Side;
use whittle_model::FunctionKind;

/// Functions by run; the runs are in one order everywhere in here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FunctionRuns {
    /// Each run's side.
    pub sides: Vec<Side>,
    /// Units of work of each run. Missing: not known.
    pub units: Vec<Option<f64>>,
    /// CPU time of all samples of each run, nanoseconds.
    pub cpu_ns: Vec<f64>,
    /// Every function with a sample.
    pub functions: Vec<FunctionRun>,
}

/// One function in all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRun {
    /// Its name with class and signature.
    pub name: String,
    /// The kind of its code.
    pub kind: FunctionKind,
    /// Exclusive CPU time by run, nanoseconds; 0 where it has no samples.
    pub cost_ns: Vec<f64>,
    /// Number of samples by run.
    pub samples: Vec<f64>,
}
