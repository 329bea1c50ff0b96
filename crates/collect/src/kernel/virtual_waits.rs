//! Sampled waits of virtual threads. The stack comes with the begin of the wait, and the weight with its end.
//!
//! ```text
//! kernel    begin of wait 5 ────────── end of wait 5: 20 ms
//! profiler        └─ stack, seconds later                    the sample has the stack, the weight, and the time of the end
//! ```

use super::layout::Event;
use rustc_hash::FxHashMap;
use whittle_model::{StackIndex, ThreadIndex};

/// Maximum number of waits of which one half is missing. More are forgotten: a program can begin waits that never end.
const MAX_HALVES: usize = 1 << 18;

/// The waits of which one half is missing, by number.
#[derive(Debug, Default)]
pub(crate) struct VirtualWaits {
    stacks: FxHashMap<u64, StackIndex>,
    ends: FxHashMap<u64, (Event, ThreadIndex)>,
    /// The halves that had no room.
    forgotten: u64,
}

/// A whole wait: its end, the row of its thread, and the stack that waited.
pub(crate) type WholeWait = (Event, ThreadIndex, StackIndex);

impl VirtualWaits {
    /// The stack of a wait is known. Returns the wait if its end is known, too.
    pub(crate) fn begin(&mut self, wait: u64, stack: StackIndex) -> Option<WholeWait> {
        if let Some((event, thread)) = self.ends.remove(&wait) {
            return Some((event, thread, stack));
        }
        match self.stacks.len() < MAX_HALVES {
            true => drop(self.stacks.insert(wait, stack)),
            false => self.forgotten += 1,
        }
        None
    }

    /// The wait has ended. Returns the wait if its stack is known.
    pub(crate) fn end(&mut self, wait: u64, event: &Event, thread: ThreadIndex) -> Option<WholeWait> {
        if let Some(stack) = self.stacks.remove(&wait) {
            return Some((*event, thread, stack));
        }
        match self.ends.len() < MAX_HALVES {
            true => drop(self.ends.insert(wait, (*event, thread))),
            false => self.forgotten += 1,
        }
        None
    }

    /// The number of waits of which one half is missing.
    pub(crate) fn halves(&self) -> u64 {
        (self.stacks.len() + self.ends.len()) as u64 + self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_make_a_wait_in_any_order() {
        let end = Event { weight: 20, ..Event::default() };
        let mut waits = VirtualWaits::default();
        assert_eq!(waits.begin(5, StackIndex(1)), None);
        assert_eq!(waits.end(6, &end, ThreadIndex(3)), None);
        assert_eq!(waits.end(5, &end, ThreadIndex(3)), Some((end, ThreadIndex(3), StackIndex(1))));
        assert_eq!(waits.begin(6, StackIndex(2)), Some((end, ThreadIndex(3), StackIndex(2))));
        // Each half is used once.
        assert_eq!(waits.halves(), 0);
        assert_eq!(waits.end(5, &end, ThreadIndex(3)), None);
        assert_eq!(waits.halves(), 1);
    }
}
