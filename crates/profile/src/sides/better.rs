//! Which direction of a metric is better.

use serde::{Deserialize, Serialize};

/// Which direction of an endpoint is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Smaller is better, for costs and times.
    Smaller,
    /// Larger is better, for rates.
    Larger,
    /// The direction is unknown; a change is reported as "changed".
    Unknown,
}

/// Endings of a rate's name.
const RATE_ENDS: [&str; 9] =
    ["_per_ns", "_per_us", "_per_ms", "_per_s", "_per_sec", "_per_second", "_per_seconds", "_per_minute", "_per_hour"];
/// Parts of a rate's name which mean that larger is not better, or that the direction is unknown.
const NOT_WORK: [&str; 7] = ["error", "fail", "pause", "miss", "retr", "timeout", "drop"];
/// Endings of a metric's name which mean that smaller is better.
const SMALLER_ENDS: [&str; 5] = ["_ns", "_us", "_ms", "_seconds", "latency"];

impl Better {
    /// Determines the direction from a metric's name. Larger is better for rates (`_per_second`, `_per_ms`), except for
    /// rates of errors and similar events. Smaller is better for times and latencies (`_ns`, `_us`, `_ms`, `_seconds`,
    /// `latency`).
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
