//! Chooses how often events are sampled if the user did not set this. The target is the same number of samples per
//! second for every program.
//!
//! One program makes ten system calls per second, another program makes a million. The distance between two samples
//! adapts to the events of the last fraction of a second. Weights contain the distance at that time, so sums are
//! unbiased even if the distance changes.

use super::layout::metric_of;
use whittle_model::{Distance, Metric};

/// A distance shrinks at most by this factor per poll, but grows at once to the measured distance. If the distance grew
/// slowly, a program that becomes active would be sampled far too often for some time.
const LARGEST_STEP: f64 = 8.0;

/// The smallest distance of a kind, and the target for samples per second. A stack costs the program about 30 µs, so 50
/// stacks per second cost 0.15 % of a CPU. After 20 s, there are a thousand stacks, and shares are accurate to 3 percentage
/// points. Waits have a higher target: a server has many kinds of waits, and a half of them can be those of idle threads.
fn target(record_kind: u16) -> (u64, f64) {
    match metric_of(record_kind).and_then(Metric::distance) {
        Some(Distance::Following { least, per_second, .. }) => (least, f64::from(per_second)),
        Some(Distance::Each(_) | Distance::From(_)) | None => (0, f64::INFINITY),
    }
}

/// Counts events and computes their distance.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// By record kind: events since the last call of [`next`](Self::next).
    seen: [u64; 8],
    /// Kinds with a distance that follows the program.
    following: Vec<u16>,
}

impl Pace {
    /// Adapts the distances of only these kinds. The user set the distances of the other kinds.
    pub(crate) fn new(following: Vec<u16>) -> Self {
        Self { seen: [0; 8], following }
    }

    /// Counts an event.
    pub(crate) fn add(&mut self, kind: u16) {
        if let Some(seen) = self.seen.get_mut(usize::from(kind)) {
            *seen += 1;
        }
    }

    /// The new distances after `seconds` since the last call. `now` returns the current distances.
    pub(crate) fn next(&mut self, seconds: f64, now: impl Fn(u16) -> u64) -> Vec<(u16, u64)> {
        let seen = std::mem::take(&mut self.seen);
        let adapt = |record_kind: u16| {
            let (count, interval) = (seen[usize::from(record_kind)] as f64, now(record_kind));
            let (least, per_second) = target(record_kind);
            let ratio = (count / (per_second * seconds)).max(1.0 / LARGEST_STEP);
            let wanted = ((interval as f64 * ratio) as u64).max(least);
            // Small changes are noise.
            let is_other = wanted.abs_diff(interval) > interval / 4;
            (is_other && interval > 0).then_some((record_kind, wanted))
        };
        self.following.iter().copied().filter_map(adapt).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::kind;
    use super::*;

    #[test]
    fn the_distance_follows_the_program_both_ways() {
        let mut pace = Pace::new(vec![kind::CALLS]);
        (0..300).for_each(|_| pace.add(kind::CALLS));
        // 300 events in a second at a distance of 100 are six times the target.
        assert_eq!(pace.next(1.0, |_| 100), [(kind::CALLS, 600)]);
        // There were no events since then. The distance shrinks, but not at once, and never below the smallest
        // distance.
        assert_eq!(pace.next(1.0, |_| 600), [(kind::CALLS, 75)]);
        assert_eq!(pace.next(1.0, |_| 20), [(kind::CALLS, 10)]);
        // The program is active again, with 20,000 events in a second.
        (0..20_000).for_each(|_| pace.add(kind::CALLS));
        assert_eq!(pace.next(1.0, |_| 10), [(kind::CALLS, 4000)]);
        (0..55).for_each(|_| pace.add(kind::CALLS));
        assert_eq!(pace.next(1.0, |_| 100), []);
    }

    #[test]
    fn what_the_user_set_stays() {
        let mut pace = Pace::new(Vec::new());
        (0..300).for_each(|_| pace.add(kind::CALLS));
        assert_eq!(pace.next(1.0, |_| 100), []);
    }
}
