//! The weight of samples and its unit.

use serde::{Deserialize, Serialize};

/// The column of the samples table that a metric adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightColumn {
    /// `count`.
    Count,
    /// `duration_ns`.
    DurationNs,
    /// `bytes`.
    Bytes,
}

impl WeightColumn {
    /// The unit of the column's sum.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Count => Unit::Count,
            Self::DurationNs => Unit::Nanoseconds,
            Self::Bytes => Unit::Bytes,
        }
    }
}

/// The unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds; shown as seconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}
