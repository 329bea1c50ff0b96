//! Metrics: named quantities with one unit.
//!
//! A metric is exactly one (event, weight column, mode filter). Samples with different triggers
//! are never added up.

use crate::{CpuMode, EventKind, SampleTable};
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
    /// The column's values.
    pub fn values(self, samples: &SampleTable) -> &[u64] {
        match self {
            Self::Count => &samples.count,
            Self::DurationNs => &samples.duration_ns,
            Self::Bytes => &samples.bytes,
        }
    }
}

/// The unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds; shown as seconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}

/// One metric that an experiment has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDefinition {
    /// The word in flags, JSON and SQL, for example `system_cpu`.
    pub name: String,
    /// The words in a column's head, for example `System CPU`.
    pub title: String,
    /// The event whose samples count.
    pub event: EventKind,
    /// What is added up.
    pub weight: WeightColumn,
    /// Only samples in this mode; missing: in any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<CpuMode>,
    /// Unit of the sum.
    pub unit: Unit,
}

impl MetricDefinition {
    /// A metric without a mode filter.
    pub fn new(name: &str, title: &str, event: EventKind, weight: WeightColumn) -> Self {
        let unit = match weight {
            WeightColumn::Count => Unit::Count,
            WeightColumn::DurationNs => Unit::Nanoseconds,
            WeightColumn::Bytes => Unit::Bytes,
        };
        Self { name: name.to_owned(), title: title.to_owned(), event, weight, mode: None, unit }
    }

    /// The same metric for samples in `mode` only.
    pub fn in_mode(self, mode: CpuMode) -> Self {
        Self { mode: Some(mode), ..self }
    }
}

/// The CPU metrics: the total, and the split where the engine can see it.
pub fn cpu_metrics(has_split: bool) -> Vec<MetricDefinition> {
    let cpu = |name, title| MetricDefinition::new(name, title, EventKind::Cpu, WeightColumn::DurationNs);
    let mut metrics = vec![cpu("cpu", "CPU")];
    if has_split {
        metrics.push(cpu("user_cpu", "User CPU").in_mode(CpuMode::User));
        metrics.push(cpu("system_cpu", "System CPU").in_mode(CpuMode::System));
    }
    metrics
}
