//! The meaning of values in other profilers' files: names and units become events, weight columns and metrics.
//!
//! ```text
//! cpu (nanoseconds), user_cpu (nanoseconds), alloc_space (bytes), inuse_space (bytes)
//!  │                  │                       │                    └> left out, and reported
//!  │                  └> event cpu, user      └> event alloc, weight bytes: metric alloc_bytes
//!  └> event cpu, weight duration_ns: metric cpu
//! ```

use whittle_model::{CpuMode, EventKind, Metric, MetricDefinition, MetricName, WeightColumn};

/// A kind of value with its name in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueType {
    pub(crate) name: String,
    pub(crate) unit: String,
}

/// The kinds of value of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ValueTypes {
    /// The meaning of each value, in the order of the file. Missing: the value is left out.
    pub(crate) meanings: Vec<Option<Meaning>>,
    /// The unit of each kind in the file.
    units: Vec<String>,
    /// One sentence for each kind that was left out.
    pub(crate) left_out: Vec<String>,
}

/// The metric of a value, and a factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) metric: MetricDefinition,
    /// Values are multiplied by this factor.
    pub(crate) factor: u64,
}

/// The quantity of a unit, if metrics can have this quantity.
enum Quantity {
    Time,
    Bytes,
    Count,
}

impl ValueTypes {
    /// The meanings of `types`. If no name is known, the meaning of the type at `main` follows from its unit.
    pub(crate) fn new(types: &[ValueType], main: usize) -> Self {
        let mut meanings: Vec<Option<Meaning>> = types.iter().map(known_meaning).collect();
        if meanings.iter().all(Option::is_none)
            && let (Some(meaning), Some(main_type)) = (meanings.get_mut(main), types.get(main))
        {
            *meaning = Some(meaning_by_unit(main_type));
        }
        Self::of_meanings(types, meanings)
    }

    /// The meanings of `types`, which are all counts of events. The first type with an unknown name is also used.
    pub(crate) fn of_events(types: &[ValueType]) -> Self {
        let mut meanings: Vec<Option<Meaning>> = types.iter().map(known_meaning).collect();
        if let Some(position) = meanings.iter().position(Option::is_none) {
            meanings[position] = Some(meaning_by_unit(&types[position]));
        }
        Self::of_meanings(types, meanings)
    }

    fn of_meanings(types: &[ValueType], mut meanings: Vec<Option<Meaning>>) -> Self {
        // Two metrics must not use the same column of the same samples, because their values would be added up.
        let mut taken: Vec<MetricDefinition> = Vec::new();
        for meaning in &mut meanings {
            match meaning {
                Some(own) if taken.iter().any(|known| clashes(known, &own.metric)) => *meaning = None,
                Some(own) => taken.push(own.metric.clone()),
                None => {}
            }
        }
        let left_out = types
            .iter()
            .zip(&meanings)
            .filter(|(_, meaning)| meaning.is_none())
            .map(|(left_out, _)| format!("{} ({}): experiments have no such metric", left_out.name, left_out.unit));
        let units = types.iter().map(|value_type| value_type.unit.clone()).collect();
        Self { left_out: left_out.collect(), units, meanings }
    }

    /// The position of the values with this unit.
    pub(crate) fn of_unit(&self, unit: &str) -> Option<usize> {
        let position = self.units.iter().position(|known| known == unit)?;
        self.meanings[position].is_some().then_some(position)
    }

    /// True if the values at a position are times.
    pub(crate) fn is_time(&self, position: usize) -> bool {
        let meaning = self.meanings.get(position).and_then(Option::as_ref);
        meaning.is_some_and(|meaning| meaning.metric.weight == WeightColumn::DurationNs)
    }

    /// The metrics, in the order of the file.
    pub(crate) fn metrics(&self) -> Vec<MetricDefinition> {
        self.meanings.iter().flatten().map(|meaning| meaning.metric.clone()).collect()
    }
}

fn clashes(a: &MetricDefinition, b: &MetricDefinition) -> bool {
    a.name == b.name || (a.event, a.weight, a.mode, a.reason) == (b.event, b.weight, b.mode, b.reason)
}

fn known_meaning(value_type: &ValueType) -> Option<Meaning> {
    let (quantity, factor) = quantity(&value_type.unit)?;
    let metric = known_metric(&value_type.name)?;
    let fits = matches!(
        (quantity, metric.weight),
        (Quantity::Time, WeightColumn::DurationNs)
            | (Quantity::Bytes, WeightColumn::Bytes)
            | (Quantity::Count, WeightColumn::Count)
    );
    fits.then_some(Meaning { metric, factor })
}

/// The metric with this name in whittle, Go, async-profiler or Pyroscope.
fn known_metric(name: &str) -> Option<MetricDefinition> {
    match MetricName::of(name) {
        MetricName::Known(metric) => Some(metric.definition()),
        MetricName::KnownPart(metric, reason) => metric.because(reason),
        MetricName::Foreign(name) => Metric::named_by_any_tool(name).map(Metric::definition),
    }
}

/// A metric with the name in the file. The unit decides whether the metric is elapsed time, allocated bytes, or a
/// count.
fn meaning_by_unit(value_type: &ValueType) -> Meaning {
    let (quantity, factor) = quantity(&value_type.unit).unwrap_or((Quantity::Count, 1));
    let name = metric_name(&value_type.name);
    let title = if name.is_empty() { "Values".to_owned() } else { value_type.name.replace('_', " ") };
    let name = if name.is_empty() { "values".to_owned() } else { name };
    let (event, weight) = match quantity {
        Quantity::Time => (EventKind::Wall, WeightColumn::DurationNs),
        Quantity::Bytes => (EventKind::Alloc, WeightColumn::Bytes),
        Quantity::Count => (EventKind::Other, WeightColumn::Count),
    };
    Meaning { metric: MetricDefinition::new(&name, &title, event, weight), factor }
}

/// A name that is valid in the metric syntax: letters, digits and underscores.
fn metric_name(name: &str) -> String {
    let allowed =
        |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '_' };
    name.chars().take(MAX_NAME_LENGTH).map(allowed).collect::<String>().trim_matches('_').to_owned()
}

/// Maximum length of metric names. Longer names are cut, because the names are column headers.
const MAX_NAME_LENGTH: usize = 40;

fn quantity(unit: &str) -> Option<(Quantity, u64)> {
    if let Some(factor) = nanoseconds_in(unit) {
        return Some((Quantity::Time, factor));
    }
    match unit {
        "bytes" | "byte" => Some((Quantity::Bytes, 1)),
        "kilobytes" | "kilobyte" => Some((Quantity::Bytes, 1 << 10)),
        "megabytes" | "megabyte" => Some((Quantity::Bytes, 1 << 20)),
        "count" | "none" | "samples" | "objects" | "" => Some((Quantity::Count, 1)),
        _ => None,
    }
}

/// How many nanoseconds this unit of time has.
pub(crate) fn nanoseconds_in(unit: &str) -> Option<u64> {
    match unit {
        "nanoseconds" | "nanosecond" | "ns" => Some(1),
        "microseconds" | "microsecond" | "µs" | "us" => Some(1_000),
        "milliseconds" | "millisecond" | "ms" => Some(1_000_000),
        "seconds" | "second" | "s" => Some(1_000_000_000),
        _ => None,
    }
}

/// Rounds a number to a whole amount. The result is missing if the number is negative or not finite.
pub(crate) fn whole(number: f64) -> Option<u64> {
    // The cast saturates at the largest number.
    (number.is_finite() && number >= 0.0).then(|| number.round() as u64)
}

/// True for metrics that are a part of another metric, such as user CPU, or waits for one reason.
pub(super) fn is_part(metric: &MetricDefinition) -> bool {
    metric.mode.is_some_and(|mode| mode != CpuMode::Unknown) || metric.reason.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(names_and_units: &[(&str, &str)]) -> ValueTypes {
        let types: Vec<ValueType> = names_and_units
            .iter()
            .map(|(name, unit)| ValueType { name: (*name).to_owned(), unit: (*unit).to_owned() })
            .collect();
        ValueTypes::new(&types, types.len() - 1)
    }

    #[test]
    fn the_heap_profile_of_go_keeps_what_was_allocated() {
        let go = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        let types = types(&go);
        assert_eq!(types.metrics(), [Metric::AllocCount.definition(), Metric::AllocBytes.definition()]);
        assert_eq!(types.left_out.len(), 2);
    }

    #[test]
    fn an_unknown_value_is_taken_by_its_unit() {
        let types = types(&[("gpu-time", "milliseconds")]);
        assert_eq!((types.metrics()[0].name.as_str(), types.metrics()[0].event), ("gpu_time", EventKind::Wall));
        assert_eq!(types.meanings[0].as_ref().unwrap().factor, 1_000_000);
    }

    #[test]
    fn two_values_of_one_meaning_are_not_added_up() {
        let types = types(&[("samples", "count"), ("cpu_samples", "count"), ("cpu", "nanoseconds")]);
        assert_eq!(types.metrics().len(), 2);
        assert_eq!(types.left_out.len(), 1);
    }
}
