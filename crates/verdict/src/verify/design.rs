//! The design of a verification. It is fixed before the first run: endpoints, margin, order of runs.

use serde::{Deserialize, Serialize};
use whittle_profile::sides::Better;

/// The default margin: smaller changes are not relevant.
pub const USUAL_MARGIN_RATIO: f64 = 0.02;
/// The probability of reporting a change if nothing changed.
pub const USUAL_ALPHA_RATIO: f64 = 0.05;

/// The design, which is fixed before the first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// The first primary endpoint. The finding is the second primary endpoint.
    pub endpoint: PrimaryEndpoint,
    /// The finding with the fix to verify. `None`: no finding.
    pub finding: Option<VerifiedFinding>,
    /// Changes that are smaller than this share of the baseline are not relevant: 0.02. Above 0, below 1.
    pub margin_ratio: f64,
    /// Probability of reporting a change if nothing changed: 0.05. Above 0, below 1.
    pub alpha_ratio: f64,
    /// The name of one unit of work: `message`. `None`: values are "per unit", or per run if no run has units.
    pub unit: Option<String>,
    /// The order of the runs.
    pub order: Order,
    /// The better direction of printed metrics, if their names do not show this direction.
    pub better: Vec<MetricDirection>,
    /// The baseline's name for the reader: a command line or an experiment's name.
    pub baseline: String,
    /// The candidate's name.
    pub candidate: String,
}

/// The first primary endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrimaryEndpoint {
    /// CPU time per unit of work, children included.
    Cpu,
    /// Elapsed time per unit of work.
    Elapsed,
    /// A number that the program prints.
    Metric(String),
}

/// The order of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Interleaved, A B B A. Changes of the machine affect both sides equally.
    Interleaved,
    /// All runs of one side, then all runs of the other side. This order allows only "looks like", because half of such
    /// comparisons report a change if the machine becomes 6 % slower between the sides.
    Sequential,
}

/// The finding with the fix to verify.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifiedFinding {
    /// Name of the detector: `unbuffered-write`.
    pub detector: String,
    /// Title of the finding.
    pub title: String,
    /// The calling method: `c01.Slow.main(String[])`. `None`: there is not a single calling method.
    pub calling: Option<String>,
    /// The prediction. `None`: no prediction.
    pub expected: Option<Expected>,
}

/// A prediction made before the runs. The endpoint also contains the warm-up and the JVM's threads, so a correct prediction
/// can differ from the endpoint's change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// Lower end of the saving as a share of the time of all work threads after warm-up, 0 to 1.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// The kind of time, and the endpoint that is compared with the prediction.
    pub of: ExpectedOf,
}

/// The kind of time of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedOf {
    /// CPU time per unit of work.
    Cpu,
    /// Elapsed time per unit of work.
    Elapsed,
}

/// The better direction of a printed metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDirection {
    /// The metric's name.
    pub name: String,
    /// The better direction.
    pub better: Better,
}

impl Design {
    /// The default design: CPU time per unit of work as the only primary endpoint, interleaved runs, the usual margin
    /// and error.
    pub fn new(baseline: impl Into<String>, candidate: impl Into<String>) -> Self {
        Self {
            endpoint: PrimaryEndpoint::Cpu,
            finding: None,
            margin_ratio: USUAL_MARGIN_RATIO,
            alpha_ratio: USUAL_ALPHA_RATIO,
            unit: None,
            order: Order::Interleaved,
            better: Vec::new(),
            baseline: baseline.into(),
            candidate: candidate.into(),
        }
    }

    /// The better direction of a printed metric, from `better` if the metric is listed there, otherwise from its name.
    pub fn better(&self, metric: &str) -> Better {
        let said = self.better.iter().find(|direction| direction.name == metric);
        said.map_or_else(|| Better::of_name(metric), |direction| direction.better)
    }
}
