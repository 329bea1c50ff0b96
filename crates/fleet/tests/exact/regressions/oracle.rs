//! Computes the costs of a fleet directly from its segments, sample by sample, without SQL, fleet tables or views.

use crate::support::Landed;
use std::collections::{BTreeMap, BTreeSet};
use whittle_fleet::regressions::Periods;
use whittle_model::{EventKind, FunctionKind, StackIndex, Tables, normalized_name};
use whittle_verdict::regressions::FleetCosts;

/// Nanoseconds by function, host and period.
pub(crate) type Costs = BTreeMap<(String, String, usize), f64>;

/// CPU time, samples and units of work by host and period. Units of work are distributed over the seconds of their
/// segment.
pub(crate) type Whole = BTreeMap<(String, usize), (f64, f64, f64)>;

/// The cost of every function in user mode.
pub(crate) fn costs(segments: &[Landed], periods: Periods, versions: [&str; 2], is_inclusive: bool) -> (Costs, Whole) {
    let (mut costs, mut whole) = (Costs::new(), Whole::new());
    for segment in segments.iter().filter(|segment| versions.contains(&segment.version.as_str())) {
        let samples = &segment.tables.samples;
        for row in (0..samples.time_ns.len()).filter(|row| samples.event[*row] == EventKind::Cpu) {
            let time_s = segment.start_s + (samples.time_ns[row] / 1_000_000_000) as i64;
            let Some(period) = periods.at(time_s) else { continue };
            let is_jvm = segment.tables.threads.class[samples.thread[row].row()].is_jvm();
            let path = java_path(&segment.tables, samples.stack[row], is_jvm);
            let charged: BTreeSet<&String> =
                if is_inclusive { path.iter().collect() } else { path.last().into_iter().collect() };
            let ns = samples.duration_ns[row] as f64;
            for name in charged {
                *costs.entry((name.clone(), segment.host.clone(), period)).or_default() += ns;
            }
            let cell = whole.entry((segment.host.clone(), period)).or_default();
            (cell.0, cell.1) = (cell.0 + ns, cell.1 + samples.count[row] as f64);
        }
        for unit in &segment.manifest.units_of_work {
            let length_s = (segment.manifest.duration_ns / 1_000_000_000) as i64;
            let mut seconds: BTreeMap<usize, i64> = BTreeMap::new();
            for second in segment.start_s..segment.start_s + length_s {
                periods.at(second).into_iter().for_each(|period| *seconds.entry(period).or_default() += 1);
            }
            for (period, count) in seconds {
                let amount = unit.amount * (count as f64 / length_s as f64);
                whole.entry((segment.host.clone(), period)).or_default().2 += amount;
            }
        }
    }
    (costs, whole)
}

/// The Java functions of a stack from the root on. For a stack without Java, the result is the function that represents
/// this stack.
fn java_path(tables: &Tables, mut stack: StackIndex, is_jvm: bool) -> Vec<String> {
    let mut path = Vec::new();
    while stack != StackIndex::ROOT {
        let function = tables.frames.function[tables.stacks.frame[stack.row()].row()].row();
        if tables.functions.kind[function] == FunctionKind::Java {
            path.push(normalized_name(&tables.functions.display_name[function]).into_owned());
        }
        stack = tables.stacks.parent[stack.row()];
    }
    if path.is_empty() {
        path.push(if is_jvm { "<JVM-System>" } else { "<no Java callstack recorded>" }.to_owned());
    }
    path.reverse();
    path
}

/// The same costs from the fleet's answer.
pub(crate) fn of_fleet(found: &FleetCosts) -> (Costs, Whole) {
    let (mut costs, mut whole) = (Costs::new(), Whole::new());
    for (position, host) in found.hosts.iter().enumerate() {
        for (period, cell) in host.periods.iter().enumerate() {
            if cell.samples > 0.0 || cell.units.is_some() {
                let units = cell.units.unwrap_or(0.0);
                whole.insert((host.host.clone(), period), (cell.cpu_ns, cell.samples, units));
            }
            for function in &found.functions {
                let cost = function.cost_ns[position * found.period_count + period];
                if cost > 0.0 {
                    costs.insert((function.name.clone(), host.host.clone(), period), cost);
                }
            }
        }
    }
    (costs, whole)
}
