//! Samples compared with exact values, by metric and thread.
//!
//! Samples are not changed. A separate table contains their deviation.

use super::states::{ThreadStates, blocked_ns};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use whittle_model::{Calibration, CalibrationTable, EventKind, Metric, SyscallTable, Table, ThreadIndex, ThreadTable};

/// The kernel's counts.
pub(crate) struct ExactValues<'a> {
    pub(crate) threads: &'a ThreadTable,
    pub(crate) syscalls: &'a SyscallTable,
    pub(crate) states: &'a ThreadStates,
}

/// The calibration of the `collected` events. `sampled` contains the total weights of their samples.
pub(crate) fn calibration(
    exact: &ExactValues<'_>,
    sampled: &FxHashMap<(EventKind, ThreadIndex), u64>,
    collected: &[EventKind],
) -> CalibrationTable {
    let mut table = CalibrationTable::default();
    let mut figures: Vec<_> = exact.by_metric().into_iter().collect();
    figures.sort_by_key(|((metric, thread), _)| (metric.name(), *thread));
    for ((metric, thread), exact) in figures {
        if exact == 0 || !collected.contains(&metric.event()) {
            continue;
        }
        let sampled = sampled.get(&(metric.event(), thread)).copied().unwrap_or(0);
        let factor = (sampled > 0).then(|| exact as f64 / sampled as f64);
        table.push(Calibration { metric: metric.name().to_owned(), thread, sampled, exact, factor });
    }
    table
}

impl ExactValues<'_> {
    fn by_metric(&self) -> BTreeMap<(Metric, ThreadIndex), u64> {
        let mut figures: BTreeMap<_, u64> = BTreeMap::new();
        for (row, cpu_ns) in self.threads.cpu_ns.iter().enumerate() {
            figures.insert((Metric::Cpu, ThreadIndex::from_row(row)), cpu_ns.unwrap_or(0));
        }
        for row in 0..self.syscalls.len() {
            let call = self.syscalls.row(row);
            let amounts = [
                (Metric::Syscalls, call.calls_count),
                (Metric::SyscallTime, call.duration_ns),
                (Metric::IoBytes, call.bytes),
            ];
            for (metric, amount) in amounts {
                *figures.entry((metric, call.thread)).or_default() += amount;
            }
        }
        for (thread, times) in self.states.totals() {
            figures.insert((Metric::OffCpu, *thread), blocked_ns(times));
        }
        figures
    }
}
