//! What the values of profiles mean. Profiles of one request can measure different things of the same samples,
//! so the kinds of value of all of them become columns, and each profile knows the columns of its values.
//!
//! ```text
//! samples (count), one each 50 ms of cpu (nanoseconds) ──> cpu_samples × 1, cpu × 50,000,000
//! perf_events (ns) ─────────────────────────────────────> cpu × 1
//! ```

use crate::foreign::{ValueType, ValueTypes, nanoseconds_in};
use std::borrow::Cow;

/// A profile's kind of value, its names resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct OtlpType {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) period_unit: String,
    /// What one sample stands for; 0: not told.
    pub(super) period: u64,
}

/// All kinds of value.
#[derive(Debug, Default)]
pub(super) struct Columns {
    types: Vec<ValueType>,
    /// By the position of the kind: position among the columns, and what a value is multiplied by.
    of_type: Vec<Vec<(usize, u64)>>,
}

/// What was sampled, as far as it makes a difference here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Cpu,
    Wall,
    Alloc,
    Lock,
    Other,
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

    /// The meaning of the columns; the first is the one to take if none is known.
    pub(super) fn value_types(&self) -> ValueTypes {
        ValueTypes::new(&self.types, 0)
    }

    pub(super) fn count(&self) -> usize {
        self.types.len()
    }

    /// Where the values of a kind go.
    pub(super) fn of_type(&self, position: usize) -> &[(usize, u64)] {
        self.of_type.get(position).map_or(&[], Vec::as_slice)
    }

    /// Sentences about kinds of which the most important is not known.
    pub(super) fn without_time(types: &[OtlpType]) -> Vec<String> {
        let is_without = |known: &&OtlpType| {
            event(known) == Event::Cpu && is_count(&known.unit) && known.period_in(nanoseconds_in).is_none()
        };
        let sentence = |known: &OtlpType| {
            format!(
                "CPU time of {} ({}): the profile does not say how much a sample stands for",
                known.name, known.unit
            )
        };
        let has_time = types.iter().any(|known| event(known) == Event::Cpu && nanoseconds_in(&known.unit).is_some());
        if has_time { Vec::new() } else { types.iter().filter(is_without).map(sentence).collect() }
    }

    fn of(&mut self, known: &OtlpType, all: &[OtlpType]) -> Vec<(usize, u64)> {
        let event = event(known);
        let is_measured = |unit: fn(&str) -> Option<u64>| {
            all.iter().any(|other| self::event(other) == event && unit(&other.unit).is_some())
        };
        let time = nanoseconds_in(&known.unit);
        let mut own = vec![match (event, time) {
            (Event::Cpu, Some(factor)) => (self.column("cpu", "nanoseconds"), factor),
            (Event::Wall, Some(factor)) => (self.column("wall", "nanoseconds"), factor),
            (Event::Lock, Some(factor)) => (self.column("lock_wait", "nanoseconds"), factor),
            (Event::Alloc, None) if is_bytes(&known.unit).is_some() => (self.column("alloc_bytes", "bytes"), 1),
            (Event::Cpu, None) if is_count(&known.unit) => (self.column("cpu_samples", "count"), 1),
            (Event::Wall, None) if is_count(&known.unit) => (self.column("wall_samples", "count"), 1),
            (Event::Alloc, None) if is_count(&known.unit) => (self.column("alloc_count", "count"), 1),
            (Event::Lock, None) if is_count(&known.unit) => (self.column("contentions", "count"), 1),
            (_, Some(factor)) => (self.column(&known.name, "nanoseconds"), factor),
            (_, None) => (self.column(&known.name, &known.unit), 1),
        }];
        if !is_count(&known.unit) {
            return own;
        }
        // Samples at equal distances: their number times the distance is the amount.
        let (name, unit, factor): (_, _, fn(&str) -> Option<u64>) = match event {
            Event::Cpu => ("cpu", "nanoseconds", nanoseconds_in),
            Event::Wall => ("wall", "nanoseconds", nanoseconds_in),
            Event::Alloc => ("alloc_bytes", "bytes", is_bytes),
            Event::Lock | Event::Other => return own,
        };
        if let Some(period) = known.period_in(factor).filter(|_| !is_measured(factor)) {
            own.push((self.column(name, unit), period));
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
    /// What a sample stands for in the unit that `factor` knows. Missing: not told, or in another unit.
    fn period_in(&self, factor: fn(&str) -> Option<u64>) -> Option<u64> {
        let period = i64::try_from(self.period).ok().filter(|period| *period > 0)?.unsigned_abs();
        Some(period.saturating_mul(factor(&self.period_unit)?))
    }
}

/// What the names of async-profiler, of OpenTelemetry's profiler and of others say.
fn event(known: &OtlpType) -> Event {
    let name: Cow<'_, str> = known.name.as_str().into();
    match &*name {
        "cpu" | "ctimer" | "itimer" | "on_cpu" | "process_cpu" => Event::Cpu,
        // Any event of the processor is so called; what is not in time is counted as it is.
        "perf_events" | "samples" | "sample" => {
            let is_time = |unit: &str| nanoseconds_in(unit).is_some();
            let is_other = known.period > 0 && !is_time(&known.period_unit) && !is_time(&known.unit);
            if is_other { Event::Other } else { Event::Cpu }
        }
        "wall" => Event::Wall,
        "alloc" | "alloc_tracer" | "object_sampler" | "allocated_space" | "allocated_objects" | "alloc_space"
        | "alloc_objects" | "allocations" => Event::Alloc,
        "lock" | "lock_tracer" => Event::Lock,
        _ => Event::Other,
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
