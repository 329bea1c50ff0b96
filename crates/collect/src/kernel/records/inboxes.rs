//! [`Inboxes`]: the records of each process, until its listener takes them.

use super::record::Record;
use rustc_hash::FxHashMap;

/// Maximum memory of queued records, in bytes.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// For the records of one process.
    inbox_bytes: usize,
    /// For the records of all processes. Beyond this limit, a process has only its share.
    total_bytes: usize,
}

impl Default for Limits {
    /// An inbox has room for a million records with six kernel frames each. A listener empties its inbox about once a
    /// second. All inboxes together fit into the memory that docs/user/agent.md recommends for the agent.
    fn default() -> Self {
        Self { inbox_bytes: 256 << 20, total_bytes: 512 << 20 }
    }
}

/// The records of all processes with a listener.
#[derive(Debug, Default)]
pub(super) struct Inboxes {
    limits: Limits,
    inboxes: FxHashMap<u32, Inbox>,
    /// Memory of the records in all inboxes.
    byte_count: usize,
    /// Number of records that were dropped because their inbox was full.
    dropped: u64,
}

#[derive(Debug, Default)]
struct Inbox {
    records: Vec<Record>,
    byte_count: usize,
}

impl Inboxes {
    /// Opens the inbox of a process that has a listener from now on.
    pub(super) fn open(&mut self, process_id: u32) {
        self.close(process_id);
        self.inboxes.insert(process_id, Inbox::default());
    }

    /// Removes the inbox of a process that has no listener from now on.
    pub(super) fn close(&mut self, process_id: u32) {
        let inbox = self.inboxes.remove(&process_id).unwrap_or_default();
        self.byte_count -= inbox.byte_count;
    }

    /// Puts records into the inboxes of their processes. Records of a process without a listener are left out.
    pub(super) fn deliver(&mut self, records: Vec<Record>) {
        let Limits { inbox_bytes, total_bytes } = self.limits;
        let share = inbox_bytes.min(total_bytes / self.inboxes.len().max(1));
        for record in records {
            let Some(inbox) = self.inboxes.get_mut(&record.process_id()) else { continue };
            let byte_count = record.byte_count();
            let limit = if self.byte_count < total_bytes { inbox_bytes } else { share };
            if inbox.byte_count + byte_count <= limit {
                inbox.byte_count += byte_count;
                self.byte_count += byte_count;
                inbox.records.push(record);
            } else {
                self.dropped += 1;
            }
        }
    }

    /// The records of a process since the last call.
    pub(super) fn take(&mut self, process_id: u32) -> Vec<Record> {
        let inbox = self.inboxes.get_mut(&process_id).map(std::mem::take).unwrap_or_default();
        self.byte_count -= inbox.byte_count;
        inbox.records
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

    /// A record with a copied stack of 64 KiB.
    fn deep(process_id: u32) -> Record {
        let head = Head { process_id, ..Head::default() };
        Record::UserStack { head, registers: Box::new([0; 34]), stack: vec![0; 64 << 10].into() }
    }

    fn small(limits: Limits) -> Inboxes {
        Inboxes { limits, ..Inboxes::default() }
    }

    #[test]
    fn an_inbox_has_room_for_a_million_normal_records() {
        let normal_bytes = of(1).byte_count() + 6 * size_of::<u64>();
        assert!(Limits::default().inbox_bytes / normal_bytes >= 1 << 20, "{normal_bytes}");
    }

    #[test]
    fn a_full_inbox_drops_and_counts() {
        let mut inboxes = small(Limits { inbox_bytes: 100 * of(1).byte_count(), total_bytes: 1 << 20 });
        inboxes.open(1);
        inboxes.deliver(vec![of(1); 103]);
        assert_eq!((inboxes.dropped(), inboxes.take(1).len()), (3, 100));
        inboxes.deliver(vec![of(1)]);
        assert_eq!((inboxes.dropped(), inboxes.take(1).len(), inboxes.byte_count), (3, 1, 0));
    }

    #[test]
    fn large_records_fill_an_inbox_earlier() {
        let mut inboxes = small(Limits { inbox_bytes: 1 << 20, total_bytes: 512 << 20 });
        inboxes.open(1);
        inboxes.deliver(vec![deep(1); 20]);
        assert_eq!((inboxes.dropped(), inboxes.take(1).len()), (5, 15));
    }

    #[test]
    fn full_inboxes_leave_a_share_to_other_processes() {
        let mut inboxes = small(Limits { inbox_bytes: 1 << 20, total_bytes: 2 << 20 });
        (1..=4).for_each(|process_id| inboxes.open(process_id));
        (1..=4).for_each(|process_id| inboxes.deliver(vec![deep(process_id); 15]));
        let counts = [1, 2, 3, 4].map(|process_id| inboxes.take(process_id).len());
        assert_eq!(counts, [15, 15, 7, 7]);
        assert_eq!((inboxes.dropped(), inboxes.byte_count), (16, 0));
    }
}
