//! Decides which records are handled now and which records wait. Few records wait, so only the waiting records are
//! copied.

use super::record::Record;

/// Splits the held records and the new records into the records until `until_ns` and all later records. Both inputs are
/// in the order of time.
pub(super) fn split_due(
    (mut held, mut records): (Vec<Record>, Vec<Record>),
    until_ns: u64,
) -> (impl Iterator<Item = Record> + use<>, Vec<Record>) {
    let is_due = |record: &Record| record.time_ns() <= until_ns;
    let mut waiting = held.split_off(held.partition_point(is_due));
    if waiting.is_empty() {
        waiting = records.split_off(records.partition_point(is_due));
    } else {
        waiting.append(&mut records);
    }
    (held.into_iter().chain(records), waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Head;

    fn records(times_ns: &[u64]) -> Vec<Record> {
        times_ns.iter().map(|time_ns| Record::Delivery(Head { time_ns: *time_ns, ..Head::default() })).collect()
    }

    #[test]
    fn what_is_young_waits_behind_what_waits_already() {
        let of = |held: &[u64], new: &[u64], until_ns| {
            let (due, waiting) = split_due((records(held), records(new)), until_ns);
            let times = |records: &mut dyn Iterator<Item = Record>| records.map(|it| it.time_ns()).collect::<Vec<_>>();
            (times(&mut { due }), times(&mut waiting.into_iter()))
        };
        assert_eq!(of(&[], &[1, 2, 3], u64::MAX), (vec![1, 2, 3], vec![]));
        assert_eq!(of(&[1, 2], &[3, 4, 5], 4), (vec![1, 2, 3, 4], vec![5]));
        assert_eq!(of(&[1, 2], &[3], 1), (vec![1], vec![2, 3]));
        assert_eq!(of(&[5], &[], 1), (vec![], vec![5]));
    }
}
