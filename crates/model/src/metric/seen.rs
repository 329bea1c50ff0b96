//! Which metrics a set of samples supports.

use super::definition::MetricDefinition;
use super::facts::Summed;
use super::registry::EventKind;
use super::wait_reason::WaitReason;

/// The properties of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// The event.
    pub event: EventKind,
    /// True if the weight of the sample is known.
    pub has_weight: bool,
    /// True if the sample distinguishes user mode from system mode.
    pub has_mode: bool,
    /// True if `count` is the number of things that the sample represents, false if that number is unknown.
    pub has_count: bool,
    /// Why the thread waited.
    pub reason: WaitReason,
}

/// The properties of a set of samples.
#[derive(Debug, Clone, Copy, Default)]
pub struct MetricsSeen {
    events: [OfEvent; EventKind::ALL.len()],
    reasons: [bool; WaitReason::ALL.len()],
}

#[derive(Debug, Clone, Copy, Default)]
struct OfEvent {
    has_weight: bool,
    has_no_weight: bool,
    has_mode: bool,
    has_uncounted: bool,
}

impl MetricsSeen {
    /// Adds the properties of a sample.
    #[inline]
    pub fn see(&mut self, observed: Observed) {
        let event = &mut self.events[observed.event as usize];
        event.has_weight |= observed.has_weight;
        event.has_no_weight |= !observed.has_weight;
        event.has_mode |= observed.has_mode;
        event.has_uncounted |= !observed.has_count;
        self.reasons[observed.reason as usize] = true;
    }

    /// True if the weight is known for some samples of an event, but not for all.
    pub fn is_mixed(&self, event: EventKind) -> bool {
        let seen = self.events[event as usize];
        seen.has_weight && seen.has_no_weight
    }

    /// The metrics, in the order of the events. If the weights of an event are known, its metrics add up amounts.
    /// Otherwise its metric is the number of samples.
    pub fn definitions(&self) -> Vec<MetricDefinition> {
        let seen = EventKind::ALL.iter().filter(|event| self.events[**event as usize].is_seen());
        seen.flat_map(|event| self.of_event(*event)).collect()
    }

    /// The metrics of one event; empty if no sample has this event.
    pub fn of_event(&self, event: EventKind) -> Vec<MetricDefinition> {
        let seen = self.events[event as usize];
        if !seen.is_seen() {
            return Vec::new();
        }
        if let Some(samples) = event.sample_count().filter(|_| !seen.has_weight) {
            return vec![samples.definition()];
        }
        let is_countable = |metric: &MetricDefinition| {
            let counts = event.known_metrics().any(|known| metric.is(known) && known.facts().summed == Summed::Amount);
            !(counts && seen.has_uncounted)
        };
        event.metrics(seen.has_mode, self.reasons()).into_iter().filter(is_countable).collect()
    }

    /// Why threads waited.
    pub fn reasons(&self) -> impl Iterator<Item = WaitReason> + Clone {
        let reasons = self.reasons;
        WaitReason::ALL.iter().copied().filter(move |reason| reasons[*reason as usize])
    }
}

impl OfEvent {
    fn is_seen(self) -> bool {
        self.has_weight || self.has_no_weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuMode, Sample, StackIndex, ThreadIndex};

    fn names(samples: &[Sample]) -> Vec<String> {
        let mut seen = MetricsSeen::default();
        samples.iter().for_each(|sample| seen.see(sample.observed()));
        seen.definitions().into_iter().map(|metric| metric.name).collect()
    }

    #[test]
    fn every_event_gives_a_metric() {
        for event in EventKind::ALL {
            let sample =
                Sample { duration_ns: 5, bytes: 5, ..Sample::new(0, ThreadIndex(0), StackIndex::ROOT, *event) };
            assert!(!names(&[sample]).is_empty(), "{event}");
        }
    }

    #[test]
    fn samples_without_a_weight_are_counted() {
        let of = |event| Sample::new(0, ThreadIndex(0), StackIndex::ROOT, event);
        assert_eq!(names(&[of(EventKind::Cpu)]), ["cpu_samples"]);
        let timed = Sample { duration_ns: 5, mode: CpuMode::User, ..of(EventKind::Cpu) };
        let waited = Sample { duration_ns: 5, reason: WaitReason::Futex, ..of(EventKind::OffCpu) };
        assert_eq!(
            names(&[waited, of(EventKind::Cpu), timed, of(EventKind::Other)]),
            ["cpu", "user_cpu", "system_cpu", "off_cpu", "off_cpu_futex", "other"]
        );
    }
}
