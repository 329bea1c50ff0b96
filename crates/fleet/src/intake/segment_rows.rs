//! One segment as rows, with times on the fleet's clock, labels and amounts.

use crate::rows::{Labels, Observation, StackId};
use crate::tables::day_of;
use std::collections::{BTreeMap, BTreeSet};
use whittle_experiment::Segment;
use whittle_model::{Manifest, SegmentId, StackIndex, Tables};
use whittle_push::SegmentCost;

/// Labels that have their own column.
const NAMED_LABELS: [&str; 4] = ["service", "host", "version", "region"];

/// A segment's times are corrected only if the segment ends more than this time after its arrival. Small differences
/// between clocks are normal.
const SKEW_NS: u64 = 120_000_000_000;

const NS_PER_S: u64 = 1_000_000_000;

/// The rows of one segment.
pub(super) struct SegmentRows {
    pub(super) id: SegmentId,
    pub(super) service: String,
    pub(super) labels: Labels,
    pub(super) tables: Tables,
    pub(super) ids: Vec<StackId>,
    pub(super) cost: SegmentCost,
    /// Amounts of the segment, each with the name of its counter.
    pub(super) counters: Vec<(String, f64)>,
    /// True if the clock of the segment's host is ahead. In this case, the times are corrected.
    pub(super) is_ahead: bool,
    start_ns: u64,
    end_ns: u64,
}

/// Divides a segment into rows. `arrived_ns` is the time of arrival on the store's clock. If a segment ends after its
/// arrival, the clock of its host is ahead. In this case, the end of the segment is moved to its arrival. If a segment
/// ends long before its arrival, the segment may have waited in a spool. In this case, the times are not changed.
pub(super) fn of(segment: Segment, arrived_ns: u64) -> SegmentRows {
    let Segment { manifest, tables } = segment;
    let said_ns = manifest.start_wall_ns.unwrap_or(0);
    let duration_ns = manifest.duration_ns;
    let is_ahead = said_ns.saturating_add(duration_ns) > arrived_ns.saturating_add(SKEW_NS);
    let start_ns = if is_ahead { arrived_ns.saturating_sub(duration_ns) } else { said_ns };
    SegmentRows {
        id: manifest.segment.expect("checked when it was read"),
        service: manifest.label("service").to_owned(),
        labels: labels(&manifest.labels),
        ids: StackId::of_stacks(&tables),
        cost: SegmentCost::of(&tables, start_ns),
        counters: counters(&manifest, &tables),
        tables,
        is_ahead,
        start_ns,
        end_ns: start_ns.saturating_add(duration_ns),
    }
}

impl SegmentRows {
    /// Start of the segment in the tables, seconds since 1970-01-01 UTC.
    pub(super) fn start_s(&self) -> i64 {
        seconds(self.start_ns)
    }

    /// End of the segment in the tables.
    pub(super) fn end_s(&self) -> i64 {
        seconds(self.end_ns)
    }

    /// Starts of the days that contain the rows.
    pub(super) fn days(&self) -> BTreeSet<i64> {
        self.observations().map(|(observed, ..)| day_of(observed.time_s)).collect()
    }

    /// All samples as observations. Each observation has its row in the stack table and its row in the thread table.
    /// The observation's `stack` is the lower half of the stack's identity.
    pub(super) fn observations(&self) -> impl Iterator<Item = (Observation, StackIndex, usize)> {
        let samples = &self.tables.samples;
        (0..samples.time_ns.len()).map(|row| {
            let stack = samples.stack[row];
            let amount = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
            let what = Observation {
                time_s: seconds(self.start_ns.saturating_add(samples.time_ns[row])),
                stack: self.ids[stack.row()].low(),
                event: samples.event[row],
                mode: samples.mode[row],
                reason: samples.reason[row],
                thread_class: self.tables.threads.class[samples.thread[row].row()],
                count: amount(samples.count[row]),
                duration_ns: amount(samples.duration_ns[row]),
                bytes: amount(samples.bytes[row]),
            };
            (what, stack, samples.thread[row].row())
        })
    }
}

fn seconds(ns: u64) -> i64 {
    (ns / NS_PER_S) as i64
}

fn labels(all: &BTreeMap<String, String>) -> Labels {
    let named = |name: &str| all.get(name).cloned().unwrap_or_default();
    let others = all.iter().filter(|(name, _)| !NAMED_LABELS.contains(&name.as_str()));
    let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
    Labels { host: named("host"), version: named("version"), region: named("region"), others: others.join(",") }
}

/// The amounts of a segment: covered time, exact CPU time, losses, units of work.
fn counters(manifest: &Manifest, tables: &Tables) -> Vec<(String, f64)> {
    let mut counters = vec![("duration_ns".to_owned(), manifest.duration_ns as f64)];
    let exact: Vec<u64> = tables.threads.cpu_ns.iter().flatten().copied().collect();
    if !exact.is_empty() {
        counters.push(("cpu_ns".to_owned(), exact.iter().map(|ns| *ns as f64).sum()));
    }
    if let Some(host) = &manifest.host {
        counters.push(("cpu_count".to_owned(), f64::from(host.cpu_count)));
    }
    counters.extend(manifest.losses.iter().map(|loss| (format!("lost_{}", loss.reason), loss.count as f64)));
    counters.extend(manifest.units_of_work.iter().map(|unit| (unit.name.clone(), unit.amount)));
    counters.retain(|(_, value)| value.is_finite());
    counters
}
