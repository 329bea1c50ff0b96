//! The meaning of profiles' values. The profiles of one request can measure different values of the same samples. So
//! each kind of value becomes a column, and each profile knows the columns of its values.
//!
//! ```text
//! samples (count), one each 50 ms of cpu (nanoseconds) ──> cpu_samples × 1, cpu × 50,000,000
//! perf_events (ns) ─────────────────────────────────────> cpu × 1
//! ```

use crate::foreign::{ValueType, ValueTypes, nanoseconds_in};
use whittle_model::{EventKind, Metric, Unit};

/// A kind of value in a profile, with resolved names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct OtlpType {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) period_unit: String,
    /// The amount that one sample represents; 0: unknown.
    pub(super) period: u64,
}

/// All kinds of value.
#[derive(Debug, Default)]
pub(super) struct Columns {
    types: Vec<ValueType>,
    /// For each kind of value, its columns and the factors for its values.
    of_type: Vec<Vec<(usize, u64)>>,
}

impl Columns {
    pub(super) fn new(types: &[OtlpType]) -> Self {
        let mut columns = Self::default();
        for known in types {
            let own = columns.of(known, types);
            columns.of_type.push(own);
        }
        columns
    }

    /// The meaning of the columns. If no column is known, the first column is used.
    pub(super) fn value_types(&self) -> ValueTypes {
        ValueTypes::new(&self.types, 0)
    }

    pub(super) fn count(&self) -> usize {
        self.types.len()
    }

    /// The columns for the values of a kind.
    pub(super) fn of_type(&self, position: usize) -> &[(usize, u64)] {
        self.of_type.get(position).map_or(&[], Vec::as_slice)
    }

    /// One sentence for each kind of CPU sample with unknown CPU time.
    pub(super) fn without_time(types: &[OtlpType]) -> Vec<String> {
        let is_without = |known: &&OtlpType| {
            event(known) == EventKind::Cpu && is_count(&known.unit) && known.period_in(nanoseconds_in).is_none()
        };
        let sentence = |known: &OtlpType| {
            format!("CPU time of {} ({}): the profile does not contain the CPU time per sample", known.name, known.unit)
        };
        let has_time =
            types.iter().any(|known| event(known) == EventKind::Cpu && nanoseconds_in(&known.unit).is_some());
        if has_time { Vec::new() } else { types.iter().filter(is_without).map(sentence).collect() }
    }

    fn of(&mut self, known: &OtlpType, all: &[OtlpType]) -> Vec<(usize, u64)> {
        let event = event(known);
        let is_measured = |unit: fn(&str) -> Option<u64>| {
            all.iter().any(|other| self::event(other) == event && unit(&other.unit).is_some())
        };
        let (unit, factor) = match nanoseconds_in(&known.unit) {
            Some(factor) => (Some(Unit::Nanoseconds), factor),
            None if is_bytes(&known.unit).is_some() => (Some(Unit::Bytes), 1),
            None if is_count(&known.unit) => (Some(Unit::Count), 1),
            None => (None, 1),
        };
        let metric = event.known_metrics().find(|metric| event != EventKind::Other && Some(metric.unit()) == unit);
        let mut own = vec![match (metric, unit) {
            (Some(metric), _) => (self.column(metric.name(), unit_name(metric.unit())), factor),
            (None, Some(Unit::Nanoseconds)) => (self.column(&known.name, unit_name(Unit::Nanoseconds)), factor),
            (None, _) => (self.column(&known.name, &known.unit), factor),
        }];
        // Samples have equal distances, so the amount is their number times the distance.
        if let Some(metric) = is_count(&known.unit).then(|| sampled_at_distances(event)).flatten() {
            let factor: fn(&str) -> Option<u64> = if metric.unit() == Unit::Bytes { is_bytes } else { nanoseconds_in };
            if let Some(period) = known.period_in(factor).filter(|_| !is_measured(factor)) {
                own.push((self.column(metric.name(), unit_name(metric.unit())), period));
            }
        }
        own
    }

    fn column(&mut self, name: &str, unit: &str) -> usize {
        let is_own = |known: &ValueType| known.name == name && known.unit == unit;
        self.types.iter().position(is_own).unwrap_or_else(|| {
            self.types.push(ValueType { name: name.to_owned(), unit: unit.to_owned() });
            self.types.len() - 1
        })
    }
}

impl OtlpType {
    /// The amount that a sample represents, in a unit that `factor` knows. Missing: the amount is unknown, or has
    /// another unit.
    fn period_in(&self, factor: fn(&str) -> Option<u64>) -> Option<u64> {
        let period = i64::try_from(self.period).ok().filter(|period| *period > 0)?.unsigned_abs();
        Some(period.saturating_mul(factor(&self.period_unit)?))
    }
}

/// The event for a name from async-profiler, OpenTelemetry's profiler or other profilers.
fn event(known: &OtlpType) -> EventKind {
    match known.name.as_str() {
        "cpu" | "ctimer" | "itimer" | "on_cpu" | "process_cpu" => EventKind::Cpu,
        // Every CPU event can have this name. Values that are not times are counts.
        "perf_events" | "samples" | "sample" => {
            let is_time = |unit: &str| nanoseconds_in(unit).is_some();
            let is_other = known.period > 0 && !is_time(&known.period_unit) && !is_time(&known.unit);
            if is_other { EventKind::Other } else { EventKind::Cpu }
        }
        "wall" => EventKind::Wall,
        "alloc" | "alloc_tracer" | "object_sampler" | "allocated_space" | "allocated_objects" | "alloc_space"
        | "alloc_objects" | "allocations" => EventKind::Alloc,
        "lock" | "lock_tracer" => EventKind::Lock,
        _ => EventKind::Other,
    }
}

/// The metric that is the number of samples times the distance between samples. Waits for locks have no such metric,
/// because each wait has its own duration.
fn sampled_at_distances(event: EventKind) -> Option<Metric> {
    [Metric::Cpu, Metric::Wall, Metric::AllocBytes].into_iter().find(|metric| metric.event() == event)
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "nanoseconds",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    }
}

fn is_count(unit: &str) -> bool {
    matches!(unit, "count" | "samples" | "objects" | "" | "1")
}

fn is_bytes(unit: &str) -> Option<u64> {
    matches!(unit, "bytes" | "byte" | "By").then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(types: &[(&str, &str, &str, u64)]) -> (Vec<String>, Vec<Vec<(usize, u64)>>) {
        let of = |(name, unit, period_unit, period): &(&str, &str, &str, u64)| OtlpType {
            name: (*name).to_owned(),
            unit: (*unit).to_owned(),
            period_unit: (*period_unit).to_owned(),
            period: *period,
        };
        let columns = Columns::new(&types.iter().map(of).collect::<Vec<_>>());
        (columns.types.iter().map(|known| known.name.clone()).collect(), columns.of_type)
    }

    #[test]
    fn counted_samples_become_cpu_time_by_their_period() {
        let (names, own) = columns(&[("samples", "count", "nanoseconds", 50), ("samples", "count", "ms", 2)]);
        assert_eq!(names, ["cpu_samples", "cpu"]);
        assert_eq!(own, [[(0, 1), (1, 50)], [(0, 1), (1, 2_000_000)]]);
    }

    #[test]
    fn measured_cpu_time_is_not_computed_once_more() {
        let (names, own) = columns(&[("perf_events", "count", "ns", 50), ("perf_events", "ns", "ns", 50)]);
        assert_eq!(names, ["cpu_samples", "cpu"]);
        assert_eq!(own, [[(0, 1)], [(1, 1)]]);
    }

    #[test]
    fn a_lock_event_in_ten_says_nothing_of_how_long_it_was() {
        assert_eq!(columns(&[("lock_tracer", "count", "ns", 10_000)]).0, ["contentions"]);
        assert_eq!(columns(&[("object_sampler", "count", "bytes", 10)]).0, ["alloc_count", "alloc_bytes"]);
    }
}
