//! Chooses how often events are sampled if the user did not set this. The target is the same number of samples per
//! second for every program, but fewer if the stacks would cost too much of the program's CPU time.
//!
//! One program makes ten system calls per second, another program makes a million. The distance between two samples
//! adapts to the events of the last fraction of a second. Weights contain the distance at that time, so sums are
//! unbiased even if the distance changes.

use super::layout::{kind, metric_of};
use whittle_model::{Distance, Metric};

/// A distance shrinks at most by this factor per period, but grows at once to the measured distance. If the distance grew
/// slowly, a program that becomes active would be sampled far too often for some time.
const LARGEST_STEP: f64 = 8.0;

/// A distance is changed after this time. If a kind has more events than its target before, distances grow at once.
const PERIOD_SECONDS: f64 = 1.0;

/// The share of the program's CPU time that may be spent on stacks of these kinds.
const SHARE_OF_CPU: f64 = 0.005;

/// At least this share of the target remains, also if the program has very little CPU time.
const LEAST_SHARE: f64 = 0.2;

/// The smallest distance of a kind, and the target for samples per second. With 50 stacks per second, there are a thousand
/// after 20 s, and shares are accurate to 3 percentage points. Waits have a higher target, because a server has many kinds of
/// waits.
fn target(record_kind: u16) -> (u64, f64) {
    match metric_of(record_kind).and_then(Metric::distance) {
        Some(Distance::Following { least, per_second, .. }) => (least, f64::from(per_second)),
        Some(Distance::Each(_) | Distance::From(_)) | None => (0, f64::INFINITY),
    }
}

/// The profiler's work in the program for stacks, since the start of the collection.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StackCost {
    /// Number of stacks that the profiler was asked for.
    pub(crate) stacks: u64,
    /// Time in the profiler's signal handler.
    pub(crate) handler_ns: u64,
}

/// Counts events and computes their distance.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// By record kind: events in this period.
    seen: [u64; 8],
    /// CPU time of the program in this period.
    cpu_ns: u64,
    /// Length of this period so far.
    seconds: f64,
    /// Kinds with a distance that follows the program.
    following: Vec<u16>,
}

impl Pace {
    /// Adapts the distances of only these kinds. The user set the distances of the other kinds.
    pub(crate) fn new(following: Vec<u16>) -> Self {
        Self { following, ..Self::default() }
    }

    /// Counts an event with its weight.
    pub(crate) fn add(&mut self, kind: u16, weight: u64) {
        if let Some(seen) = self.seen.get_mut(usize::from(kind)) {
            *seen += 1;
        }
        self.cpu_ns += if kind == kind::TICK { weight } else { 0 };
    }

    /// The new distances after `seconds` since the last call. `now` returns the current distances.
    pub(crate) fn next(&mut self, seconds: f64, cost: StackCost, now: impl Fn(u16) -> u64) -> Vec<(u16, u64)> {
        self.seconds += seconds;
        let share = self.share_of_target(cost);
        let seen_of = |kind: u16| self.seen[usize::from(kind)] as f64;
        let is_over = self.seconds >= PERIOD_SECONDS;
        let is_due = |kind: u16| is_over || seen_of(kind) > target(kind).1 * share * PERIOD_SECONDS;
        if !self.following.iter().any(|kind| is_due(*kind)) {
            return Vec::new();
        }
        let adapt = |record_kind: u16| {
            let (least, per_second) = target(record_kind);
            let ratio = (seen_of(record_kind) / (per_second * share * self.seconds)).max(1.0 / LARGEST_STEP);
            let interval = now(record_kind);
            let wanted = ((interval as f64 * ratio) as u64).max(least);
            // Small changes are noise. A period that is not over tells only that a distance is too small.
            let is_other = wanted.abs_diff(interval) > interval / 4 && (is_over || wanted > interval);
            (is_other && interval > 0).then_some((record_kind, wanted))
        };
        let changed = self.following.iter().copied().filter_map(adapt).collect();
        *self = Self::new(std::mem::take(&mut self.following));
        changed
    }

    /// The share of the target at which stacks cost [`SHARE_OF_CPU`] of the program's CPU time. If the profiler is not in
    /// the process, the whole target.
    fn share_of_target(&self, cost: StackCost) -> f64 {
        if cost.handler_ns == 0 || cost.stacks == 0 || self.seconds == 0.0 {
            return 1.0;
        }
        let stack_ns = cost.handler_ns as f64 / cost.stacks as f64;
        let per_second: f64 = self.following.iter().map(|kind| target(*kind).1).sum();
        let affordable = SHARE_OF_CPU * self.cpu_ns as f64 / self.seconds / stack_ns;
        (affordable / per_second).clamp(LEAST_SHARE, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_COST: StackCost = StackCost { stacks: 0, handler_ns: 0 };

    fn pace(kinds: &[u16], events: u64) -> Pace {
        let mut pace = Pace::new(kinds.to_vec());
        (0..events).for_each(|_| pace.add(kind::CALLS, 1));
        pace
    }

    #[test]
    fn the_distance_follows_the_program_both_ways() {
        // 300 events in a second at a distance of 100 are six times the target.
        let mut pace = pace(&[kind::CALLS], 300);
        assert_eq!(pace.next(1.0, NO_COST, |_| 100), [(kind::CALLS, 600)]);
        // There were no events since then. The distance shrinks, but not at once, and never below the smallest
        // distance.
        assert_eq!(pace.next(1.0, NO_COST, |_| 600), [(kind::CALLS, 75)]);
        assert_eq!(pace.next(1.0, NO_COST, |_| 20), [(kind::CALLS, 10)]);
        // The program is active again, with 20,000 events in a second.
        (0..20_000).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, NO_COST, |_| 10), [(kind::CALLS, 4000)]);
        (0..55).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, NO_COST, |_| 100), []);
    }

    #[test]
    fn a_distance_grows_before_the_period_is_over_and_shrinks_after_it() {
        let mut busy = pace(&[kind::CALLS], 40);
        assert_eq!(busy.next(0.2, NO_COST, |_| 100), []);
        (0..80).for_each(|_| busy.add(kind::CALLS, 1));
        // 120 events in 0.4 s are six times the target.
        assert_eq!(busy.next(0.2, NO_COST, |_| 100), [(kind::CALLS, 600)]);
        let mut quiet = pace(&[kind::CALLS], 5);
        (0..4).for_each(|_| assert_eq!(quiet.next(0.2, NO_COST, |_| 100), []));
        assert_eq!(quiet.next(0.25, NO_COST, |_| 100), [(kind::CALLS, 12)]);
    }

    #[test]
    fn stacks_cost_at_most_their_share_of_the_cpu_time() {
        // A stack costs 0.1 ms. With one CPU, 0.5 % are 50 stacks: half of the target of two kinds.
        let cost = StackCost { stacks: 1000, handler_ns: 100_000_000 };
        let mut pace = pace(&[kind::CALLS, kind::BYTES], 100);
        pace.add(kind::TICK, 1_000_000_000);
        assert_eq!(pace.next(1.0, cost, |_| 8000), [(kind::CALLS, 32_000), (kind::BYTES, 4096)]);
        // A program without CPU time still gets a fifth of the target.
        (0..100).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, cost, |_| 8000), [(kind::CALLS, 80_000), (kind::BYTES, 4096)]);
    }

    #[test]
    fn what_the_user_set_stays() {
        let mut pace = pace(&[], 300);
        assert_eq!(pace.next(1.0, NO_COST, |_| 100), []);
    }
}
