//! The measurements: one entry per run.

use serde::{Deserialize, Serialize};
use whittle_profile::sides::Side;

/// One run of one side. Discarded runs are not included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The side.
    pub side: Side,
    /// The number of the run's pair, from 0. A pair (AB or BA) is a baseline run and a candidate run next to each
    /// other. Profiled runs have their own pairs, so each number can occur twice. `None`: the runs have no pairs.
    pub pair: Option<u32>,
    /// Position in time among all runs, from 0.
    pub order: u32,
    /// Whether the run was profiled. Profiled runs give the finding's cost. Unprofiled runs give times and metrics.
    pub is_profiled: bool,
    /// Elapsed time from start to end.
    pub elapsed_ns: u64,
    /// CPU time in user mode, children included.
    pub user_cpu_ns: u64,
    /// CPU time in the kernel, children included.
    pub system_cpu_ns: u64,
    /// Units of work that were done. `None`: unknown.
    pub units: Option<f64>,
    /// Values that the program printed, one value per name.
    pub metrics: Vec<PrintedMetric>,
    /// The finding's cost. `None`: not profiled, or no finding is verified. If the finding has no samples: zeros.
    pub finding: Option<FindingCost>,
}

/// A value that the program printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrintedMetric {
    /// The metric's name, with the unit at the end: `requests_per_second`.
    pub name: String,
    /// The run's value.
    pub value: f64,
}

/// The cost of a finding in one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FindingCost {
    /// Weight of the finding's samples.
    pub cpu_ns: f64,
    /// Number of the finding's samples.
    pub samples: f64,
    /// Whether a stack of the run has the finding's calling method.
    #[serde(default = "is_present")]
    pub has_calling: bool,
    /// The cost of the finding's pattern below any caller, the calling method included. `None`: unknown.
    #[serde(default)]
    pub pattern: Option<PatternCost>,
}

/// The cost of a finding's pattern below any caller in one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PatternCost {
    /// Weight of the pattern's samples.
    pub cpu_ns: f64,
    /// Number of the pattern's samples.
    pub samples: f64,
}

/// Older answers do not contain this field.
fn is_present() -> bool {
    true
}

impl Run {
    /// CPU time in user mode and in the kernel.
    pub fn cpu_ns(&self) -> f64 {
        self.user_cpu_ns as f64 + self.system_cpu_ns as f64
    }
}
