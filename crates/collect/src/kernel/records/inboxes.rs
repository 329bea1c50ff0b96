//! [`Inboxes`]: the records of each process, until its listener takes them.

use super::record::Record;
use rustc_hash::FxHashMap;

/// An inbox contains at most this many records. A listener empties its inbox about once a second.
const MAX_INBOX: usize = 1 << 20;

/// The records of all processes with a listener.
#[derive(Debug, Default)]
pub(super) struct Inboxes {
    records: FxHashMap<u32, Vec<Record>>,
    /// Number of records that were dropped because their inbox was full.
    dropped: u64,
}

impl Inboxes {
    /// Opens the inbox of a process that has a listener from now on.
    pub(super) fn open(&mut self, process_id: u32) {
        self.records.insert(process_id, Vec::new());
    }

    /// Removes the inbox of a process that has no listener from now on.
    pub(super) fn close(&mut self, process_id: u32) {
        self.records.remove(&process_id);
    }

    /// Puts records into the inboxes of their processes. Records of a process without a listener are left out.
    pub(super) fn deliver(&mut self, records: Vec<Record>) {
        for record in records {
            let Some(inbox) = self.records.get_mut(&record.process_id()) else { continue };
            if inbox.len() < MAX_INBOX {
                inbox.push(record);
            } else {
                self.dropped += 1;
            }
        }
    }

    /// The records of a process since the last call.
    pub(super) fn take(&mut self, process_id: u32) -> Vec<Record> {
        self.records.get_mut(&process_id).map(std::mem::take).unwrap_or_default()
    }

    /// Number of records that were dropped because their inbox was full.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Head;

    fn of(process_id: u32) -> Record {
        Record::Delivery(Head { process_id, ..Head::default() })
    }

    #[test]
    fn each_process_has_its_records_while_it_has_a_listener() {
        let mut inboxes = Inboxes::default();
        inboxes.open(1);
        inboxes.open(2);
        inboxes.deliver(vec![of(1), of(2), of(3), of(1)]);
        assert_eq!([1, 2, 3].map(|process_id| inboxes.take(process_id).len()), [2, 1, 0]);
        inboxes.close(2);
        inboxes.deliver(vec![of(2)]);
        assert!(inboxes.take(2).is_empty() && inboxes.take(1).is_empty());
    }

    #[test]
    fn a_full_inbox_drops_and_counts() {
        let mut inboxes = Inboxes::default();
        inboxes.open(1);
        inboxes.deliver(vec![of(1); MAX_INBOX + 3]);
        assert_eq!((inboxes.dropped(), inboxes.take(1).len()), (3, MAX_INBOX));
    }
}
