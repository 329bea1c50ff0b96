//! Which of a thread's doings count as done while it held a lock.
//!
//! The waiter can wait for a long time before the last holder gets the lock: other threads had it first, and the last holder
//! waited for it as well, or did something else. Only what it did with the lock made the waiter wait.

use crate::wakers::lock::{Lock, functions_of, is_for_lock, lock};
use crate::wakers::sampled_waits::{Doing, SampledWaits};
use whittle_model::FunctionIndex;
use whittle_profile::waits::WaitMeaning;

/// A lock that a thread held.
pub(crate) struct Holding {
    lock: Lock,
    /// The method that gave the lock back. Missing: unknown.
    given_back_in: Option<FunctionIndex>,
}

impl Holding {
    /// The lock of a wait, for its holder. Missing: the wait is not for a lock.
    pub(crate) fn of(waits: &SampledWaits<'_>, number: usize, given_back_in: Option<FunctionIndex>) -> Option<Self> {
        is_for_lock(waits.wait(number).meaning).then(|| Self { lock: lock(waits, number), given_back_in })
    }

    /// What the holder did with the lock. `doings` are in the order of time.
    pub(crate) fn keep_held(&self, waits: &SampledWaits<'_>, doings: &mut Vec<(Doing, f64)>) {
        let got_it_after = doings.iter().rposition(|(doing, _)| self.is_wait_for_it(waits, doing));
        doings.drain(..got_it_after.map_or(0, |last| last + 1));
        doings.retain(|(doing, _)| self.is_held(waits, doing));
    }

    fn is_wait_for_it(&self, waits: &SampledWaits<'_>, doing: &Doing) -> bool {
        matches!(doing, Doing::Waiting(number) if is_for_lock(waits.wait(*number).meaning) && lock(waits, *number) == self.lock)
    }

    /// A monitor is given back in the method that took it, so this method is on the stack meanwhile. For other locks, the stack does
    /// not tell. A thread without work is not expected to hold one.
    fn is_held(&self, waits: &SampledWaits<'_>, doing: &Doing) -> bool {
        let stack = match doing {
            Doing::TakingLock(_) => return false,
            Doing::Executing(stack) | Doing::Runnable(stack) => *stack,
            Doing::Waiting(number) => waits.wait(*number).stack,
        };
        match self.given_back_in {
            Some(method) if self.lock.meaning == WaitMeaning::Monitor => {
                functions_of(waits.profile.tables(), stack).any(|function| function == method)
            }
            _ => !matches!(doing, Doing::Waiting(number) if waits.wait(*number).meaning == WaitMeaning::Idle),
        }
    }
}
