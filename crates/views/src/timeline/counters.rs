//! Counters over time, one value per bin.

use crate::timeline::bins::{TimeBins, TimeRange};
use serde::Serialize;
use whittle_model::{CounterTable, Table};
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;

/// Counters that only grow. The timeline shows their growth.
const GROWING: [&str; 9] = [
    "gc_count",
    "gc_ns",
    "gc_cpu_ns",
    "safepoint_count",
    "safepoint_ns",
    "class_loading_ns",
    "compilation_ns",
    "cgroup_periods_count",
    "cgroup_throttled_periods_count",
];

/// A counter over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineCounter {
    /// Name of the counter.
    pub name: String,
    /// The counter's unit, from the end of its name. Empty for a plain number.
    pub unit: &'static str,
    /// True if the value of a bin is the counter's growth. Otherwise, the value is the mean of the readings in the bin.
    pub is_difference: bool,
}

/// All counters by name, and one value per counter and bin. The value is NaN if the bin has no reading.
pub(crate) fn counters_in(bins: TimeBins, table: &CounterTable) -> (Vec<TimelineCounter>, Vec<f32>) {
    let mut readings: OrderedMap<&str, Vec<(u64, f64)>> = OrderedMap::default();
    for row in 0..table.len() {
        readings.at(&table.counter[row], Vec::new).push((table.time_ns[row], table.value[row]));
    }
    let readings = readings.into_pairs();
    let mut values = Vec::with_capacity(readings.len() * bins.count);
    let counters = readings.into_iter().map(|(name, mut readings)| {
        sort_by_key(&mut readings, |(time_ns, _)| *time_ns);
        let is_difference = GROWING.contains(&name);
        values.extend(if is_difference { growth(bins, &readings) } else { means(bins, &readings) });
        TimelineCounter { name: name.to_owned(), unit: unit(name), is_difference }
    });
    (counters.collect(), values)
}

/// The unit of a counter, as a word.
fn unit(name: &str) -> &'static str {
    if name.ends_with("_ns") {
        "nanoseconds"
    } else if name.ends_with("_bytes") {
        "bytes"
    } else if name.ends_with("_count") {
        "count"
    } else if name.ends_with("_ratio") {
        "ratio"
    } else {
        ""
    }
}

fn means(bins: TimeBins, readings: &[(u64, f64)]) -> Vec<f32> {
    let mut sums = vec![(0.0, 0_u32); bins.count];
    for (time_ns, value) in readings.iter().filter(|(time_ns, _)| (bins.from_ns..=bins.to_ns).contains(time_ns)) {
        let (sum, count) = &mut sums[bins.bin_of(*time_ns)];
        *sum += value;
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| if count == 0 { f32::NAN } else { (sum / f64::from(count)) as f32 }).collect()
}

/// The growth of a counter from one reading to the next, spread over the time between them.
fn growth(bins: TimeBins, readings: &[(u64, f64)]) -> Vec<f32> {
    let mut sums = vec![f64::NAN; bins.count];
    for pair in readings.windows(2) {
        let [(start_ns, before), (end_ns, after)] = [pair[0], pair[1]];
        // A counter that falls has started again at 0.
        let range = TimeRange { start_ns, end_ns, spent_ns: (after - before).max(0.0) };
        bins.spread(range, |bin, grown| sums[bin] = grown + if sums[bin].is_nan() { 0.0 } else { sums[bin] });
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::CounterValue;

    #[test]
    fn levels_are_averaged_and_growing_figures_are_told_by_their_growth() {
        let mut table = CounterTable::default();
        for (time_ns, counter, value) in [
            (0, "gc_ns", 5.0),
            (20, "gc_ns", 9.0),
            (5, "rss_bytes", 1.0),
            (7, "rss_bytes", 3.0),
            (25, "rss_bytes", 8.0),
            (5, "machine_busy_ratio", 0.5),
        ] {
            table.push(CounterValue { time_ns, counter: counter.to_owned(), value });
        }
        let (counters, values) = counters_in(TimeBins { from_ns: 0, to_ns: 30, count: 3 }, &table);
        let names: Vec<(&str, &str, bool)> =
            counters.iter().map(|counter| (counter.name.as_str(), counter.unit, counter.is_difference)).collect();
        assert_eq!(
            names,
            [("gc_ns", "nanoseconds", true), ("machine_busy_ratio", "ratio", false), ("rss_bytes", "bytes", false)]
        );
        assert_eq!(values[..2], [2.0, 2.0]);
        assert!(values[2].is_nan() && values[7].is_nan());
        assert_eq!([values[3], values[6], values[8]], [0.5, 2.0, 8.0]);
    }
}
