//! The cost of each function in each profiled run.

use whittle_model::FunctionKind;
use whittle_profile::sides::Side;

/// The cost of functions by run. All lists have the same order of runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FunctionRuns {
    /// The side of each run.
    pub sides: Vec<Side>,
    /// Units of work of each run. `None`: unknown.
    pub units: Vec<Option<f64>>,
    /// CPU time of all samples of each run, nanoseconds.
    pub cpu_ns: Vec<f64>,
    /// Every function with a sample.
    pub functions: Vec<FunctionRun>,
}

/// One function in all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRun {
    /// The function's name with class and signature.
    pub name: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Exclusive CPU time by run, nanoseconds. 0: the function has no samples in the run.
    pub cost_ns: Vec<f64>,
    /// Number of samples by run.
    pub samples: Vec<f64>,
}
