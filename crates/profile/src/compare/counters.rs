//! Values of both sides that are not sums over samples: time, throughput, memory, and numbers that the program printed.

use crate::compare::Run;
use crate::order::sort_by_key;
use crate::sides::{Better, ComparedCounter, Per};
use whittle_model::{SYSTEM_COUNTERS, Unit};
use whittle_statistics::median;

/// The counters that are known for both sides.
pub(super) fn counters(sides: &[Vec<Run>; 2], per: &Per) -> Vec<ComparedCounter> {
    let mut counters = Vec::new();
    let mut add = |title: String, unit: Option<Unit>, is_better_when: Better, value: &dyn Fn(&Run) -> Option<f64>| {
        let mean = |runs: &[Run]| -> Option<f64> {
            let values: Option<Vec<f64>> = runs.iter().map(value).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        if let (Some(baseline), Some(candidate)) = (mean(&sides[0]), mean(&sides[1])) {
            counters.push(ComparedCounter { title, unit, baseline, candidate, is_better_when });
        }
    };
    let elapsed = |run: &Run| Some(run.manifest.duration_ns as f64).filter(|ns| *ns > 0.0);
    if let Per::Unit(name) = per {
        let words = per.words();
        add(format!("elapsed time {words}"), Some(Unit::Nanoseconds), Better::Smaller, &|run| {
            Some(elapsed(run)? / run.units(name)?)
        });
        let title = format!("{} per second", name.replace('_', " "));
        add(title, None, Better::Larger, &|run| Some(run.units(name)? / (elapsed(run)? / 1e9)));
    } else {
        add("elapsed time of a run".to_owned(), Some(Unit::Nanoseconds), Better::Unknown, &elapsed);
    }
    add("peak resident memory".to_owned(), Some(Unit::Bytes), Better::Smaller, &|run| {
        run.manifest.resources.as_ref()?.peak_rss_bytes.map(|bytes| bytes as f64)
    });
    for name in printed(&sides[0]) {
        let better = Better::of_name(&name);
        add(name.replace('_', " "), None, better, &|run| {
            let counters = &run.tables.counters;
            let rows = counters.counter.iter().zip(&counters.value).filter(|(counter, _)| **counter == name);
            median(&rows.map(|(_, value)| *value).collect::<Vec<_>>())
        });
    }
    counters
}

/// Names of the values that a program printed. Units of work are left out, because they are reported separately.
fn printed(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = runs.first().map(|run| run.tables.counters.counter.clone()).unwrap_or_default();
    names.retain(|name| !SYSTEM_COUNTERS.contains(&name.as_str()) && !name.ends_with("_count"));
    sort_by_key(&mut names, Clone::clone);
    names.dedup();
    names
}
