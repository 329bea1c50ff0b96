//! The time of each thread in the shown range.

use crate::timeline::bins::TimeBins;
use crate::timeline::source::Times;
use crate::timeline::states::{IDLE, STATES, StateGroup};
use crate::unused_threads::IDLE_THREAD_WORK_RATIO;

/// Smallest share of its time that an idle thread is idle. It can also wait for a CPU.
const IDLE_THREAD_RATIO: f64 = 0.9;

/// The sums of a thread's states.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) cpu_ns: f64,
    pub(super) blocked_ns: f64,
    pub(super) idle_ns: f64,
    pub(super) all_ns: f64,
}

impl Sums {
    /// The sums of some threads together.
    pub(super) fn of(threads: &[usize], sums: &[Self]) -> Self {
        threads.iter().map(|thread| sums[*thread]).fold(Self::default(), |all, sums| Self {
            cpu_ns: all.cpu_ns + sums.cpu_ns,
            blocked_ns: all.blocked_ns + sums.blocked_ns,
            idle_ns: all.idle_ns + sums.idle_ns,
            all_ns: all.all_ns + sums.all_ns,
        })
    }

    /// Whether the thread was idle, except for moments.
    pub(super) fn is_idle(self) -> bool {
        let work_ns = self.cpu_ns + self.blocked_ns;
        self.idle_ns >= IDLE_THREAD_RATIO * self.all_ns && work_ns <= IDLE_THREAD_WORK_RATIO * self.all_ns
    }
}

/// Adds up each thread's states inside the bins. Also returns which states occur in the experiment.
pub(super) fn thread_sums(
    threads_count: usize,
    times: &Times<'_>,
    bins: TimeBins,
) -> (Vec<Sums>, [bool; STATES.len()]) {
    let mut sums = vec![Sums::default(); threads_count];
    let mut has_state = [false; STATES.len()];
    times.each(0, |found| {
        has_state[found.state] |= found.range.spent_ns > 0.0;
        let inside = bins.spent_inside(found.range);
        let sums = &mut sums[found.thread];
        sums.all_ns += inside;
        match STATES[found.state].1 {
            StateGroup::Cpu => sums.cpu_ns += inside,
            StateGroup::Blocked => sums.blocked_ns += inside,
            StateGroup::Other if found.state == IDLE => sums.idle_ns += inside,
            StateGroup::Other => {}
        }
    });
    (sums, has_state)
}
