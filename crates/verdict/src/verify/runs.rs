//! What was measured: one entry a run.

use crate::Side;
use serde::{Deserialize, Serialize};

/// One run of one side. Discarded runs are not handed in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Whose.
    pub side: Side,
    /// The pair (AB or BA) that it belongs to, from 0 on: a baseline's and a candidate's run next to each other. Profiled runs
    /// have pairs of their own, so 0 can occur in both. Missing: runs were not made in pairs.
    pub pair: Option<u32>,
    /// Position in time among all runs, from 0 on.
    pub order: u32,
    /// Whether it was profiled: such a run gives the finding's cost; unprofiled ones give times and metrics.
    pub is_profiled: bool,
    /// From start to end.
    pub elapsed_ns: u64,
    /// CPU time in user mode, children included.
    pub user_cpu_ns: u64,
    /// CPU time in the kernel, children included.
    pub system_cpu_ns: u64,
    /// Units of work done. Missing: not known.
    pub units: Option<f64>,
    /// Numbers that the program printed; one value a name.
    pub metrics: Vec<PrintedMetric>,
    /// The finding's cost. Missing: not profiled, or no finding is verified. No samples of it: zeros.
    pub finding: Option<FindingCost>,
}

/// A number that the program printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrintedMetric {
    /// Its name, the unit at its end: `requests_per_second`.
    pub name: String,
    /// The run's value.
    pub value: f64,
}

/// What a finding cost in one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FindingCost {
    /// Weight of its samples.
    pub cpu_ns: f64,
    /// Number of its samples.
    pub samples: f64,
}

impl Run {
    /// CPU time in both modes.
    pub fn cpu_ns(&self) -> f64 {
        self.user_cpu_ns as f64 + self.system_cpu_ns as f64
    }
}
