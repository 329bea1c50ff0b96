//! Makes rows of samples from the values of one stack.
//!
//! A format with sums has one number per metric. A row of samples has one event, mode and reason, and up to three
//! weights. So there is one row for each event, mode and reason. If a total exceeds the sum of its parts, the
//! difference becomes another row. An example is CPU time that exceeds user plus system CPU time.

use super::value_types::{Meaning, ValueTypes, is_part};
use whittle_model::{CpuMode, EventKind, Sample, StackIndex, ThreadIndex, WaitReason, WeightColumn};

/// The place and time of the observed values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) time_ns: u64,
    pub(crate) thread: ThreadIndex,
    pub(crate) stack: StackIndex,
}

impl ValueTypes {
    /// Makes rows from `values`. The values are in the order of the file, and in the units of their metrics.
    pub(crate) fn rows(&self, values: &[u64], at: Observation) -> Vec<Sample> {
        let mut rows: Vec<Sample> = Vec::new();
        let weighed = self.meanings.iter().zip(values).filter_map(|(meaning, value)| Some((meaning.as_ref()?, *value)));
        let weighed: Vec<(&Meaning, u64)> = weighed.filter(|(_, value)| *value > 0).collect();
        for (meaning, value) in &weighed {
            let of_parts = if is_part(&meaning.metric) { 0 } else { sum_of_parts(meaning, &weighed) };
            add(&mut rows, (meaning, value.saturating_sub(of_parts)), at);
        }
        for event in EventKind::ALL.iter().copied().filter(|event| !event.has_amount_in_count()) {
            let is_count =
                |meaning: &Meaning| meaning.metric.event == event && meaning.metric.weight == WeightColumn::Count;
            let count = weighed.iter().find(|(meaning, _)| is_count(meaning)).map(|(_, count)| *count);
            share_count(&mut rows, event, count);
        }
        // Bytes without a number of objects count as at least one object.
        rows.iter_mut().for_each(|row| row.count = row.count.max(1));
        rows
    }
}

fn sum_of_parts(total: &Meaning, weighed: &[(&Meaning, u64)]) -> u64 {
    let is_part_of = |part: &Meaning| {
        is_part(&part.metric) && part.metric.event == total.metric.event && part.metric.weight == total.metric.weight
    };
    weighed.iter().filter(|(part, _)| is_part_of(part)).fold(0, |sum, (_, value)| sum.saturating_add(*value))
}

/// Adds a value to the row of its event, mode and reason. Counts start at 0 here.
fn add(rows: &mut Vec<Sample>, (meaning, value): (&Meaning, u64), at: Observation) {
    if value == 0 {
        return;
    }
    let metric = &meaning.metric;
    let (mode, reason) = (metric.mode.unwrap_or(CpuMode::Unknown), metric.reason.unwrap_or(WaitReason::None));
    let is_own = |row: &Sample| (row.event, row.mode, row.reason) == (metric.event, mode, reason);
    let position = rows.iter().position(is_own).unwrap_or_else(|| {
        let new = Sample::new(at.time_ns, at.thread, at.stack, metric.event);
        rows.push(Sample { mode, reason, count: 0, ..new });
        rows.len() - 1
    });
    let row = &mut rows[position];
    match metric.weight {
        WeightColumn::Count => row.count = value,
        WeightColumn::DurationNs => row.duration_ns = value,
        WeightColumn::Bytes => row.bytes = value,
    }
}

/// Gives each row of an event at least one observation. If `count` is known, the rows add up to `count`.
fn share_count(rows: &mut Vec<Sample>, event: EventKind, count: Option<u64>) {
    let has_amount = |row: &Sample| row.duration_ns > 0 || row.bytes > 0;
    let of_event = |row: &&mut Sample| row.event == event;
    if !rows.iter().any(|row| row.event == event && has_amount(row)) {
        return;
    }
    rows.retain(|row| row.event != event || has_amount(row));
    let row_count = rows.iter().filter(|row| row.event == event).count() as u64;
    let mut left = count.unwrap_or(row_count).max(row_count);
    for (row, rows_after) in rows.iter_mut().filter(of_event).zip((0..row_count).rev()) {
        // The first row gets the rest.
        row.count = left - rows_after;
        left = rows_after;
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_types::ValueType;
    use super::*;

    fn rows(types: &[(&str, &str)], values: &[u64]) -> Vec<(EventKind, CpuMode, u64, u64, u64)> {
        let types: Vec<ValueType> =
            types.iter().map(|(name, unit)| ValueType { name: (*name).to_owned(), unit: (*unit).to_owned() }).collect();
        let at = Observation { time_ns: 0, thread: ThreadIndex(0), stack: StackIndex(1) };
        let rows = ValueTypes::new(&types, 0).rows(values, at);
        rows.iter().map(|row| (row.event, row.mode, row.count, row.duration_ns, row.bytes)).collect()
    }

    #[test]
    fn totals_are_split_into_their_parts_and_the_rest() {
        let types = [
            ("samples", "count"),
            ("cpu", "nanoseconds"),
            ("user_cpu", "nanoseconds"),
            ("system_cpu", "nanoseconds"),
            ("alloc_bytes", "bytes"),
            ("alloc_count", "count"),
        ];
        assert_eq!(
            rows(&types, &[7, 100, 60, 30, 4096, 2]),
            [
                (EventKind::Cpu, CpuMode::Unknown, 5, 10, 0),
                (EventKind::Cpu, CpuMode::User, 1, 60, 0),
                (EventKind::Cpu, CpuMode::System, 1, 30, 0),
                (EventKind::Alloc, CpuMode::Unknown, 2, 0, 4096),
            ]
        );
        assert_eq!(rows(&types, &[3, 60, 60, 0, 0, 0]), [(EventKind::Cpu, CpuMode::User, 3, 60, 0)]);
        assert_eq!(rows(&types, &[3, 0, 0, 0, 0, 0]), [(EventKind::Cpu, CpuMode::Unknown, 3, 0, 0)]);
        assert_eq!(rows(&types, &[0; 6]), []);
    }
}
