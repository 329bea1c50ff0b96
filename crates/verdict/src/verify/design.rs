//! What was fixed before the first run: endpoints, margin, how runs are ordered.

use serde::{Deserialize, Serialize};

/// Half-width of the range of changes that do not matter.
pub const USUAL_MARGIN_RATIO: f64 = 0.02;
/// Probability of calling a change where there is none.
pub const USUAL_ALPHA_RATIO: f64 = 0.05;

/// What is asked of the runs; fixed before the first of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// What the verdict is about, beside the finding.
    pub endpoint: PrimaryEndpoint,
    /// The finding whose fix is verified. Missing: there is none.
    pub finding: Option<VerifiedFinding>,
    /// Changes within plus and minus this part of the baseline do not matter: 0.02. Above 0, below 1.
    pub margin_ratio: f64,
    /// Probability of calling a change where there is none: 0.05. Above 0, below 1.
    pub alpha_ratio: f64,
    /// What one unit of work is: `message`. Missing: not named, then figures are "per unit", or per run where no run has units.
    pub unit: Option<String>,
    /// How the runs were made.
    pub order: Order,
    /// Which direction is better, for printed metrics whose names do not say it.
    pub better: Vec<MetricDirection>,
    /// The baseline as the reader knows it: a command line or an experiment's name.
    pub baseline: String,
    /// The same of the candidate.
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

/// How the runs were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// In turns, A B B A: what changes on the machine meanwhile hits both sides.
    Interleaved,
    /// All of one side, then all of the other. Allows "looks like" at most: half of such comparisons find a change where the
    /// machine became 6 % slower meanwhile.
    Sequential,
}

/// The finding whose fix is verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifiedFinding {
    /// Its detector: `unbuffered-write`.
    pub detector: String,
    /// What it is, in words.
    pub title: String,
    /// The method that it is called from: `c01.Slow.main(String[])`. Missing: not one method.
    pub calling: Option<String>,
    /// What was predicted. Missing: nothing.
    pub expected: Option<Expected>,
}

/// A prediction made before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// Saved part of the whole program's endpoint, 0 to 1.
    pub ratio: f64,
    /// Of which endpoint.
    pub of: ExpectedOf,
}

/// What a prediction is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedOf {
    /// CPU time per unit of work.
    Cpu,
    /// Elapsed time per unit of work.
    Elapsed,
}

/// Which direction of a printed metric is better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDirection {
    /// The metric's name.
    pub name: String,
    /// The better direction.
    pub better: Better,
}

/// Which direction of an endpoint is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Costs and times.
    Smaller,
    /// Rates.
    Larger,
    /// Nobody said; a change is told as "changed".
    Unknown,
}

/// Ends of names of rates.
const RATE_ENDS: [&str; 9] =
    ["_per_ns", "_per_us", "_per_ms", "_per_s", "_per_sec", "_per_second", "_per_seconds", "_per_minute", "_per_hour"];
/// Of what a larger rate is not better, or nobody knows.
const NOT_WORK: [&str; 7] = ["error", "fail", "pause", "miss", "retr", "timeout", "drop"];
/// Ends of names of metrics that are better when smaller.
const SMALLER_ENDS: [&str; 5] = ["_ns", "_us", "_ms", "_seconds", "latency"];

impl Better {
    /// What a metric's name says: rates (`_per_second`, `_per_ms`; but not of errors and the like) are better when larger, times and latencies (`_ns`, `_us`, `_ms`,
    /// `_seconds`, `latency`) when smaller.
    pub fn of_name(name: &str) -> Self {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&RATE_ENDS) {
            let is_work = !NOT_WORK.iter().any(|word| name.contains(word));
            if is_work { Self::Larger } else { Self::Unknown }
        } else if ends(&SMALLER_ENDS) || name.contains("latency") {
            Self::Smaller
        } else {
            Self::Unknown
        }
    }
}

impl Design {
    /// CPU time per unit of work as the one primary endpoint, runs in turns, the usual margin and error.
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

    /// Which direction of a printed metric is better: what was said, else what its name says.
    pub fn better(&self, metric: &str) -> Better {
        let said = self.better.iter().find(|direction| direction.name == metric);
        said.map_or_else(|| Better::of_name(metric), |direction| direction.better)
    }
}
