//! Samples against exact figures, by metric and thread.
//!
//! The samples stay as they are: how far they are off is a table of its own.

use super::states::{ThreadStates, blocked_ns};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use whittle_model::{Calibration, CalibrationTable, EventKind, SyscallTable, Table, ThreadIndex, ThreadTable};

/// What the kernel counted.
pub(crate) struct ExactFigures<'a> {
    pub(crate) threads: &'a ThreadTable,
    pub(crate) syscalls: &'a SyscallTable,
    pub(crate) states: &'a ThreadStates,
}

/// The calibration of the events that were `collected`; `sampled` has the sums of their weights.
pub(crate) fn calibration(
    exact: &ExactFigures<'_>,
    sampled: &FxHashMap<(EventKind, ThreadIndex), u64>,
    collected: &[EventKind],
) -> CalibrationTable {
    let mut table = CalibrationTable::default();
    for ((metric, event, thread), exact) in exact.by_metric() {
        if exact == 0 || !collected.contains(&event) {
            continue;
        }
        let sampled = sampled.get(&(event, thread)).copied().unwrap_or(0);
        let factor = (sampled > 0).then(|| exact as f64 / sampled as f64);
        table.push(Calibration { metric: metric.to_owned(), thread, sampled, exact, factor });
    }
    table
}

impl ExactFigures<'_> {
    fn by_metric(&self) -> BTreeMap<(&'static str, EventKind, ThreadIndex), u64> {
        let mut figures: BTreeMap<_, u64> = BTreeMap::new();
        for (row, cpu_ns) in self.threads.cpu_ns.iter().enumerate() {
            figures.insert(("cpu", EventKind::Cpu, ThreadIndex::from_row(row)), cpu_ns.unwrap_or(0));
        }
        for row in 0..self.syscalls.len() {
            let call = self.syscalls.row(row);
            let amounts = [
                ("syscalls", EventKind::Syscall, call.calls_count),
                ("syscall_time", EventKind::SyscallTime, call.duration_ns),
                ("io_bytes", EventKind::SyscallBytes, call.bytes),
            ];
            for (metric, event, amount) in amounts {
                *figures.entry((metric, event, call.thread)).or_default() += amount;
            }
        }
        for (thread, times) in self.states.totals() {
            figures.insert(("off_cpu", EventKind::OffCpu, *thread), blocked_ns(times));
        }
        figures
    }
}
