//! Functions on the events and metrics of the registry.

use super::definition::MetricDefinition;
use super::facts::{Distance, Resource, Summed};
use super::registry::{EventKind, Metric};
use super::wait_reason::WaitReason;
use super::weight::{Unit, WeightColumn};

impl EventKind {
    /// The column with the amount of a sample.
    pub fn weight(self) -> WeightColumn {
        self.facts().weight
    }

    /// The resource that samples of the event measure.
    pub fn resource(self) -> Resource {
        self.facts().resource
    }

    /// True if `count` is the number of observed objects, calls or faults, and not a number of observations.
    pub fn has_amount_in_count(self) -> bool {
        self.known_metrics().any(|metric| metric.facts().summed == Summed::Amount)
    }

    /// The metrics of the event, in the order of the registry.
    pub fn known_metrics(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.iter().copied().filter(move |metric| metric.event() == self)
    }

    /// The metrics of samples with a known weight. `has_mode`: the samples distinguish user mode from system mode.
    /// `reasons`: why threads waited in these samples.
    pub fn metrics(
        self,
        has_mode: bool,
        reasons: impl IntoIterator<Item = WaitReason> + Clone,
    ) -> Vec<MetricDefinition> {
        let has_amounts = self.known_metrics().any(|metric| metric.facts().summed != Summed::Samples);
        let fits = |metric: &Metric| {
            let facts = metric.facts();
            (facts.summed != Summed::Samples || !has_amounts) && (has_mode || facts.mode.is_none())
        };
        let with_reasons = |metric: Metric| {
            let reasons = reasons.clone().into_iter().filter(move |_| metric.facts().has_reasons);
            let parts = reasons.filter_map(move |reason| metric.because(reason));
            std::iter::once(metric.definition()).chain(parts)
        };
        self.known_metrics().filter(fits).flat_map(with_reasons).collect()
    }

    /// The metric that counts the samples, for samples with an unknown weight.
    pub fn sample_count(self) -> Option<Metric> {
        self.known_metrics().find(|metric| metric.facts().summed == Summed::Samples)
    }
}

impl Metric {
    /// The name in options, JSON and SQL.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The event of the samples that are added up.
    pub fn event(self) -> EventKind {
        self.facts().event
    }

    /// The column that is added up.
    pub fn weight(self) -> WeightColumn {
        self.facts().summed.column()
    }

    /// Unit of the sum.
    pub fn unit(self) -> Unit {
        self.weight().unit()
    }

    /// The metric called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name() == name)
    }

    /// The metric with this name in whittle or in another tool.
    pub fn named_by_any_tool(name: &str) -> Option<Self> {
        let of_tools = || Self::ALL.iter().copied().find(|metric| metric.facts().foreign_names.contains(&name));
        Self::named(name).or_else(of_tools)
    }

    /// The metrics that the user can choose, in the order of the registry.
    pub fn chosen() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|metric| metric.facts().choice.is_some())
    }

    /// The default distance between samples. Missing: the user cannot select the metric.
    pub fn distance(self) -> Option<Distance> {
        self.facts().choice.map(|choice| choice.distance)
    }

    /// The metric's definition, as a manifest stores it.
    pub fn definition(self) -> MetricDefinition {
        let facts = self.facts();
        MetricDefinition {
            mode: facts.mode,
            ..MetricDefinition::new(facts.name, facts.title, facts.event, self.weight())
        }
    }

    /// The part of the metric for one reason of waiting. Missing: the metric has no parts, or `reason` is `none`.
    pub fn because(self, reason: WaitReason) -> Option<MetricDefinition> {
        let has_part = self.facts().has_reasons && reason != WaitReason::None;
        has_part.then(|| {
            let whole = self.definition();
            let (name, title) = (format!("{}_{reason}", whole.name), format!("{}: {}", whole.title, reason.words()));
            MetricDefinition { name, title, reason: Some(reason), ..whole }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_means_one_metric() {
        let foreign = Metric::ALL.iter().flat_map(|metric| metric.facts().foreign_names);
        let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).chain(foreign.copied()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        for metric in Metric::ALL {
            assert!(!metric.facts().title.is_empty() && !metric.description().is_empty(), "{metric:?}");
        }
    }

    #[test]
    fn two_metrics_of_the_same_samples_differ_in_what_they_add_up() {
        for (index, metric) in Metric::ALL.iter().enumerate() {
            // `cpu_samples` is an exception: `samples` has the same meaning, but is less specific.
            let others = Metric::ALL[..index].iter().filter(|other| **other != Metric::CpuSamples);
            let key = |metric: &Metric| (metric.event(), metric.weight() as u8, metric.facts().mode);
            assert!(others.into_iter().all(|other| key(other) != key(metric)), "{metric:?}");
        }
    }

    #[test]
    fn the_first_metric_of_an_event_adds_up_the_column_that_its_samples_fill() {
        for event in EventKind::ALL {
            let first = event.known_metrics().next().expect("a metric of each event");
            assert_eq!(first.weight(), event.weight(), "{event}");
        }
    }

    #[test]
    fn what_the_kernel_engine_samples_gives_its_metrics() {
        let names = |event: EventKind, has_mode| {
            let metrics = event.metrics(has_mode, [WaitReason::None, WaitReason::Futex]);
            metrics.into_iter().map(|metric| metric.name).collect::<Vec<_>>()
        };
        assert_eq!(names(EventKind::Cpu, true), ["cpu", "user_cpu", "system_cpu"]);
        assert_eq!(names(EventKind::Cpu, false), ["cpu"]);
        assert_eq!(names(EventKind::OffCpu, true), ["off_cpu", "off_cpu_futex"]);
        assert_eq!(names(EventKind::Alloc, false), ["alloc_bytes", "alloc_count"]);
        assert_eq!(names(EventKind::JavaSample, false), ["java_samples"]);
        assert_eq!(names(EventKind::Lock, false), ["lock_wait"]);
    }
}
