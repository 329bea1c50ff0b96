//! The lock of a wait, and the thread that held it last.
//!
//! The JVM does not tell which thread holds a lock, except in a thread dump, and only for monitors. If a wait for a monitor has not
//! ended when the collection ends, the dump tells the holder. Otherwise, the last holder is the thread that gave the lock back and so woke
//! the waiter. Two kinds of wakes are looked through:
//!
//! - A thread that waits for a monitor sometimes wakes by a timer, looks at the monitor, and waits again. The wake that ends the
//!   next wait counts.
//! - Several readers can get a lock at once. A reader that was woken wakes the next one. The thread that woke the first one counts.

use crate::wakers::lock::{LOCKS, functions_of, is_for_lock};
use crate::wakers::sampled_waits::SampledWaits;
use rustc_hash::FxHashMap;
use whittle_model::{StackIndex, Wake, WakerKind};
use whittle_profile::order::sort_by_key;

/// If a thread only looked at a lock, or woke the next reader, this takes at most this time, in nanoseconds. It is long, because the
/// thread can wait for a CPU.
const LOOK_NS: u64 = 5_000_000;
/// At most this many wakes are looked through.
const MOST_LOOKS: usize = 20;
/// In these methods, a reader that got the lock wakes the next one.
const PASSING_ON: [&str; 2] = ["setHeadAndPropagate", "signalNextIfShared"];

/// Finds the last holders of locks.
pub(crate) struct Holders<'w, 'p> {
    waits: &'w SampledWaits<'p>,
    /// For each function, whether a reader wakes the next one in it.
    is_passing_on: Vec<bool>,
    /// For each thread, its waits with a wake, in the order of the wakes' times.
    of_thread: FxHashMap<u32, Vec<(u64, usize)>>,
}

impl<'w, 'p> Holders<'w, 'p> {
    pub(crate) fn new(waits: &'w SampledWaits<'p>, all: &[usize]) -> Self {
        let names = &waits.profile.tables().functions.internal_name;
        let passes_on =
            |name: &String| name.starts_with(LOCKS) && PASSING_ON.iter().any(|method| name.contains(method));
        let mut of_thread: FxHashMap<u32, Vec<(u64, usize)>> = FxHashMap::default();
        for number in all {
            let Some(wake) = waits.wake(*number) else { continue };
            of_thread.entry(wake.thread.0).or_default().push((wake.time_ns, *number));
        }
        of_thread.values_mut().for_each(|of_thread| sort_by_key(of_thread, |wake| *wake));
        Self { waits, is_passing_on: names.iter().map(passes_on).collect(), of_thread }
    }

    /// The wake of the thread that held the lock last. Missing: unknown.
    pub(crate) fn wake_of_holder(&self, number: usize) -> Option<Wake> {
        let mut number = number;
        for _ in 0..MOST_LOOKS {
            let wake = self.waits.wake(number)?;
            number = match wake.kind {
                WakerKind::Timer => self.continued(number, &wake)?,
                WakerKind::Thread if self.passes_on(wake.stack) => self.before(&wake)?,
                WakerKind::Thread | WakerKind::Holder => return Some(wake),
                _ => return None,
            };
        }
        None
    }

    fn passes_on(&self, stack: StackIndex) -> bool {
        functions_of(self.waits.profile.tables(), stack).any(|function| self.is_passing_on[function.row()])
    }

    /// The wait in which a thread went on to wait for the same lock.
    fn continued(&self, number: usize, wake: &Wake) -> Option<usize> {
        let of_thread = self.of_thread.get(&wake.thread.0)?;
        let next = of_thread.partition_point(|(time_ns, _)| *time_ns <= wake.time_ns);
        let (_, next) = *of_thread.get(next)?;
        let (start_ns, _) = self.waits.times(next)?;
        let is_same = self.waits.wait(next).stack == self.waits.wait(number).stack;
        (is_same && start_ns.saturating_sub(wake.time_ns) <= LOOK_NS).then_some(next)
    }

    /// The wait of the waker that ended just before.
    fn before(&self, wake: &Wake) -> Option<usize> {
        let of_thread = self.of_thread.get(&wake.waker?.0)?;
        let after = of_thread.partition_point(|(time_ns, _)| *time_ns < wake.time_ns);
        let (time_ns, before) = *of_thread.get(after.checked_sub(1)?)?;
        (is_for_lock(self.waits.wait(before).meaning) && wake.time_ns - time_ns <= LOOK_NS).then_some(before)
    }
}
