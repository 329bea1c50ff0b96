//! The names of virtual threads, and the waits in which a virtual thread keeps its carrier.
//!
//! ```text
//! record   pinned: carrier 7, epoch 3, "booking-12"     blocked: carrier 7, epoch 3, 20 ms
//! row                                                   booking-# (pinned), 20 ms
//! ```

use crate::kernel::layout::{Event, PinnedWait, STATE_FUTEX, STATE_PIPE, STATE_POLL, STATE_SLEEP, STATE_SOCKET, kind};
use rustc_hash::FxHashMap;
use whittle_model::thread_name::{PINNED, without_numbers};

/// The name of the rows for virtual threads that have no name of their own.
pub(super) const UNNAMED: &str = "virtual threads";

/// States in which a virtual thread usually leaves its carrier. In other states, for example in a wait for a page, the whole carrier
/// stops, and the virtual thread has nothing to do with it.
const LEAVES_CARRIER: [u8; 5] = [STATE_FUTEX, STATE_SOCKET, STATE_SLEEP, STATE_POLL, STATE_PIPE];

/// The name of the row for the waits of a virtual thread. `name`: its own name, which can be empty.
pub(super) fn name(name: &str) -> String {
    match name.trim() {
        "" => UNNAMED.to_owned(),
        name => format!("{} (virtual)", without_numbers(name)),
    }
}

/// The name of the row for the waits in which it keeps its carrier.
fn name_pinned(name: &str) -> String {
    match name.trim() {
        "" => format!("{UNNAMED}{PINNED}"),
        name => format!("{}{PINNED}", without_numbers(name)),
    }
}

/// The virtual threads of which the wait comes next, by the thread id of the carrier.
#[derive(Debug, Default)]
pub(super) struct PinnedWaits {
    next: FxHashMap<u32, PinnedWait>,
}

impl PinnedWaits {
    /// The thread's next wait is that of a virtual thread.
    pub(super) fn add(&mut self, wait: &PinnedWait) {
        self.next.insert(wait.head.thread_id, *wait);
    }

    /// The name of the row for the event, if it is a wait of a virtual thread that keeps its carrier.
    pub(super) fn waiter(&mut self, event: &Event) -> Option<String> {
        if event.head.kind != kind::BLOCKED || self.next.is_empty() {
            return None;
        }
        let wait = self.next.remove(&event.head.thread_id)?;
        // The record of the other wait can be lost.
        let is_same = wait.head.epoch == event.head.epoch && wait.head.process_id == event.head.process_id;
        (is_same && LEAVES_CARRIER.contains(&event.reason)).then(|| name_pinned(&wait.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::{Head, read};

    fn wait(head: Head, name: &str) -> PinnedWait {
        let mut bytes = vec![0; size_of::<PinnedWait>()];
        bytes[size_of::<Head>()..][..name.len()].copy_from_slice(name.as_bytes());
        PinnedWait { head, ..read(&bytes).unwrap() }
    }

    #[test]
    fn a_wait_of_the_same_epoch_belongs_to_the_virtual_thread() {
        let head = Head { thread_id: 7, epoch: 3, kind: kind::BLOCKED, ..Head::default() };
        let blocked = Event { head, reason: STATE_FUTEX, ..Event::default() };
        let mut waits = PinnedWaits::default();
        assert_eq!(waits.waiter(&blocked), None);
        for (name, row) in [("booking-12", "booking-# (pinned)"), ("", "virtual threads (pinned)")] {
            waits.add(&wait(head, name));
            assert_eq!(waits.waiter(&blocked), Some(row.to_owned()));
            assert_eq!(waits.waiter(&blocked), None, "only one wait");
        }
        let later = Event { head: Head { epoch: 4, ..head }, ..blocked };
        let for_a_page = Event { reason: crate::kernel::layout::STATE_PAGE_FAULT, ..blocked };
        let other = Event { head: Head { thread_id: 8, ..head }, ..blocked };
        for event in [later, for_a_page, other] {
            waits.add(&wait(head, "a"));
            assert_eq!(waits.waiter(&event), None, "{event:?}");
        }
    }

    #[test]
    fn rows_of_virtual_threads_have_their_names() {
        assert_eq!(name(""), "virtual threads");
        assert_eq!(name("tomcat-handler-17"), "tomcat-handler-# (virtual)");
    }
}
