//! [`RecordStage`]: the records of one collection. They are fetched, and held until they can be handled.

use super::due::split_due;
use super::listener::Listener;
use super::lost::Lost;
use super::record::Record;
use crate::kernel::layout::Head;

/// Stage 1 of a collection.
pub(crate) struct RecordStage {
    listener: Listener,
    /// Records that were held at the last call.
    held: Vec<Record>,
    /// Records that arrived since the last call.
    fetched: Vec<Record>,
    lost: Lost,
}

impl RecordStage {
    /// Starts without records. All records come from `listener`.
    pub(crate) fn new(listener: Listener) -> Self {
        Self { listener, held: Vec::new(), fetched: Vec::new(), lost: Lost::default() }
    }

    /// The stage of the next segment. It takes over the held records, and gets the later records of the same listener.
    pub(crate) fn for_next_segment(&mut self) -> Self {
        Self { held: std::mem::take(&mut self.held), ..Self::new(self.listener.again()) }
    }

    /// Fetches new records. Returns all waiting records, in the order of their times.
    pub(crate) fn fetch(&mut self) -> impl Iterator<Item = &Record> {
        debug_assert!(self.fetched.is_empty(), "fetched records are taken or held");
        self.fetched = self.listener.take();
        self.held.iter().chain(&self.fetched)
    }

    /// Takes the records until `until_ns` of CLOCK_MONOTONIC. Later records are held.
    pub(crate) fn take_until(&mut self, until_ns: u64) -> impl Iterator<Item = Record> + use<> {
        let waiting = (std::mem::take(&mut self.held), std::mem::take(&mut self.fetched));
        let (due, held) = split_due(waiting, until_ns);
        self.held = held;
        due
    }

    /// The deliveries among the held records.
    pub(crate) fn held_deliveries(&self) -> impl Iterator<Item = &Head> {
        self.held.iter().filter_map(|record| match record {
            Record::Delivery(head) => Some(head),
            _ => None,
        })
    }

    /// Counts the losses since the last call.
    pub(crate) fn count_lost(&mut self) {
        self.lost.add(self.listener.take_lost());
    }

    /// The losses until [`count_lost`](Self::count_lost) was called last.
    pub(crate) fn lost(&self) -> Lost {
        self.lost
    }
}
