//! Metrics as a manifest stores them.
//!
//! A metric is exactly one combination of event, weight column and filter by mode or reason. Samples of different
//! events are never added up.

use super::cpu_mode::CpuMode;
use super::facts::Shown;
use super::registry::{EventKind, Metric};
use super::wait_reason::WaitReason;
use super::weight::{Unit, WeightColumn};
use serde::{Deserialize, Serialize};

/// One metric of an experiment, from the registry or from an imported file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDefinition {
    /// The name in options, JSON and SQL, for example `system_cpu`.
    pub name: String,
    /// The name in a column's header, for example `System CPU`.
    pub title: String,
    /// The event of the samples that are added up.
    pub event: EventKind,
    /// The column that is added up.
    pub weight: WeightColumn,
    /// Only samples in this mode are added up. Missing: any mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<CpuMode>,
    /// Only samples of threads that were blocked for this reason are added up. Missing: any reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WaitReason>,
    /// Unit of the sum.
    pub unit: Unit,
}

/// The metric that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricName<'a> {
    /// A metric of the registry.
    Known(Metric),
    /// The part of a registry metric for one reason of waiting.
    KnownPart(Metric, WaitReason),
    /// A metric that is only in the imported file.
    Foreign(&'a str),
}

impl<'a> MetricName<'a> {
    /// The meaning of a name in a manifest.
    pub fn of(name: &'a str) -> Self {
        if let Some(metric) = Metric::named(name) {
            return Self::Known(metric);
        }
        let parts = Metric::ALL.iter().filter(|metric| metric.facts().has_reasons);
        let known_part = |metric: &Metric| {
            let reason = name.strip_prefix(metric.name())?.strip_prefix('_')?;
            let reason = WaitReason::from_name(reason).ok().filter(|reason| *reason != WaitReason::None)?;
            Some(Self::KnownPart(*metric, reason))
        };
        parts.into_iter().find_map(known_part).unwrap_or(Self::Foreign(name))
    }
}

impl MetricDefinition {
    /// Creates a metric with this name and without a filter. [`Metric::definition`] creates the metrics of the
    /// registry.
    pub fn new(name: &str, title: &str, event: EventKind, weight: WeightColumn) -> Self {
        let (name, title) = (name.to_owned(), title.to_owned());
        Self { name, title, event, weight, mode: None, reason: None, unit: weight.unit() }
    }

    /// The metric that the definition's name refers to.
    pub fn known(&self) -> MetricName<'_> {
        MetricName::of(&self.name)
    }

    /// When views show the metric. Metrics of imported files, and parts of metrics, are shown only on request.
    pub fn shown(&self) -> Shown {
        match self.known() {
            MetricName::Known(metric) => metric.facts().shown,
            MetricName::KnownPart(..) | MetricName::Foreign(_) => Shown::WhenAsked,
        }
    }

    /// True if the metric is the part of another metric for one mode or for one reason of waiting.
    pub fn is_part(&self) -> bool {
        self.mode.is_some() || self.reason.is_some()
    }

    /// True if the definition is this metric of the registry.
    pub fn is(&self, metric: Metric) -> bool {
        self.name == metric.name()
    }
}

/// The metrics of blocked time: the total, and one metric for each of the given reasons.
pub fn off_cpu_metrics(reasons: impl IntoIterator<Item = WaitReason> + Clone) -> Vec<MetricDefinition> {
    EventKind::OffCpu.metrics(false, reasons)
}

/// The CPU metrics: the total, and user and system if `has_split`.
pub fn cpu_metrics(has_split: bool) -> Vec<MetricDefinition> {
    EventKind::Cpu.metrics(has_split, [])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_a_part_of_a_known_one_or_foreign() {
        assert_eq!(MetricName::of("io_bytes"), MetricName::Known(Metric::IoBytes));
        assert_eq!(MetricName::of("off_cpu_run_queue"), MetricName::KnownPart(Metric::OffCpu, WaitReason::RunQueue));
        for foreign in ["off_cpu_none", "off_cpu_", "cpu_futex", "gpu_time", "alloc_space", ""] {
            assert_eq!(MetricName::of(foreign), MetricName::Foreign(foreign));
        }
    }

    #[test]
    fn parts_are_stored_under_their_own_names() {
        let [whole, part] = &off_cpu_metrics([WaitReason::RunQueue])[..] else { panic!("two metrics") };
        assert_eq!((whole.name.as_str(), whole.title.as_str()), ("off_cpu", "Blocked"));
        assert_eq!((part.name.as_str(), part.title.as_str()), ("off_cpu_run_queue", "Blocked: run queue"));
        assert_eq!(part.known(), MetricName::KnownPart(Metric::OffCpu, WaitReason::RunQueue));
    }
}
