//! Chooses how often events are sampled if the user did not set this. The target is the same number of samples per
//! second for every program, but fewer if the stacks would cost too much of the program's CPU time.
//!
//! One program makes ten system calls per second, another program makes a million. The distance between two samples
//! adapts to the events of the last second. Weights contain the distance at that time, so sums are
//! unbiased even if the distance changes.

use super::layout::{kind, metric_of};
use whittle_model::{Distance, Metric, StackCost};

/// A distance shrinks at most by this factor per period, but grows at once to the measured distance. If the distance grew
/// slowly, a program that becomes active would be sampled far too often for some time.
const LARGEST_STEP: f64 = 8.0;

/// The same as long as there was no event at all.
const LARGEST_FIRST_STEP: f64 = 64.0;

/// A distance is changed after this time. If a kind has more events than its target before, its distance grows at once.
const PERIOD_SECONDS: f64 = 1.0;

/// The new mean cost of a stack contains the last period with this weight.
const WEIGHT_OF_LAST_PERIOD: f64 = 0.3;

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

/// The events of one kind in a period.
#[derive(Debug, Clone, Copy, Default)]
struct Period {
    events: u64,
    seconds: f64,
    /// Whether there were events in an earlier period.
    had_events: bool,
}

/// Counts events and computes their distance.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// By record kind.
    periods: [Period; 8],
    budget: Budget,
    /// Kinds with a distance that follows the program.
    following: Vec<u16>,
}

/// How many stacks the program can afford.
#[derive(Debug)]
struct Budget {
    /// CPU time of the program in this period.
    cpu_ns: u64,
    seconds: f64,
    /// The cost at the start of this period.
    before: StackCost,
    /// Mean time of a handler; 0: unknown.
    stack_ns: f64,
    /// The share of the targets that is affordable.
    share: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { cpu_ns: 0, seconds: 0.0, before: StackCost::default(), stack_ns: 0.0, share: 1.0 }
    }
}

impl Budget {
    /// Adapts the share at the end of a period. `per_second`: the sum of all targets.
    fn adapt(&mut self, seconds: f64, cost: StackCost, per_second: f64) {
        self.seconds += seconds;
        if self.seconds < PERIOD_SECONDS {
            return;
        }
        let handlers = cost.handlers_count.saturating_sub(self.before.handlers_count);
        if handlers > 0 {
            let mean_ns = cost.cpu_ns.saturating_sub(self.before.cpu_ns) as f64 / handlers as f64;
            let is_first = self.stack_ns == 0.0;
            self.stack_ns += (mean_ns - self.stack_ns) * if is_first { 1.0 } else { WEIGHT_OF_LAST_PERIOD };
        }
        if self.stack_ns > 0.0 {
            let affordable = SHARE_OF_CPU * self.cpu_ns as f64 / self.seconds / self.stack_ns;
            self.share = (affordable / per_second).clamp(LEAST_SHARE, 1.0);
        }
        *self = Self { cpu_ns: 0, seconds: 0.0, before: cost, ..*self };
    }
}

impl Pace {
    /// Adapts the distances of only these kinds. The user set the distances of the other kinds.
    pub(crate) fn new(following: Vec<u16>) -> Self {
        Self { following, ..Self::default() }
    }

    /// Counts an event with its weight.
    pub(crate) fn add(&mut self, kind: u16, weight: u64) {
        if let Some(period) = self.periods.get_mut(usize::from(kind)) {
            period.events += 1;
        }
        self.budget.cpu_ns += if kind == kind::TICK { weight } else { 0 };
    }

    /// The new distances after `seconds` since the last call. `now` returns the current distances.
    pub(crate) fn next(&mut self, seconds: f64, cost: StackCost, now: impl Fn(u16) -> u64) -> Vec<(u16, u64)> {
        let per_second = self.following.iter().map(|kind| target(*kind).1).sum();
        self.budget.adapt(seconds, cost, per_second);
        let Self { periods, budget, following } = self;
        let changed = following.iter().filter_map(|kind| {
            let period = &mut periods[usize::from(*kind)];
            period.seconds += seconds;
            let wanted = wanted(*kind, *period, budget.share, now(*kind))?;
            *period = Period { had_events: period.had_events || period.events > 0, ..Period::default() };
            (wanted != now(*kind)).then_some((*kind, wanted))
        });
        changed.collect()
    }
}

/// The distance after a period, which can be the same as before. `None`: the period goes on.
fn wanted(record_kind: u16, period: Period, share: f64, interval: u64) -> Option<u64> {
    let Period { events, seconds, had_events } = period;
    let (least, per_second) = target(record_kind);
    let is_over = seconds >= PERIOD_SECONDS;
    if !is_over && events as f64 <= per_second * share * PERIOD_SECONDS {
        return None;
    }
    let step = if events > 0 || had_events { LARGEST_STEP } else { LARGEST_FIRST_STEP };
    let ratio = (events as f64 / (per_second * share * seconds)).max(1.0 / step);
    let wanted = ((interval as f64 * ratio) as u64).max(least);
    // Small changes are noise: a quarter, or two standard deviations of the number of events.
    let noise = (2.0 / (events as f64).sqrt()).clamp(0.25, 1.0);
    let is_other = wanted.abs_diff(interval) as f64 > interval as f64 * noise || (events == 0 && wanted != interval);
    Some(if is_other && interval > 0 { wanted } else { interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_COST: StackCost = StackCost { handlers_count: 0, cpu_ns: 0 };

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
        // There were few events since then, and later none. The distance shrinks, but not at once, and never below the
        // smallest distance.
        (0..6).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, NO_COST, |_| 600), [(kind::CALLS, 75)]);
        assert_eq!(pace.next(1.0, NO_COST, |_| 640), [(kind::CALLS, 80)]);
        assert_eq!(pace.next(1.0, NO_COST, |_| 20), [(kind::CALLS, 10)]);
        // The program is active again, with 20,000 events in a second.
        (0..20_000).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, NO_COST, |_| 10), [(kind::CALLS, 4000)]);
        (0..55).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, NO_COST, |_| 100), []);
    }

    #[test]
    fn a_distance_grows_before_the_period_is_over_and_shrinks_after_it() {
        let mut busy = pace(&[kind::CALLS, kind::BYTES], 40);
        assert_eq!(busy.next(0.2, NO_COST, |_| 100), []);
        (0..80).for_each(|_| busy.add(kind::CALLS, 1));
        // 120 events in 0.4 s are six times the target. The other kind's period goes on.
        assert_eq!(busy.next(0.2, NO_COST, |_| 100), [(kind::CALLS, 600)]);
        (0..3).for_each(|_| assert_eq!(busy.next(0.15, NO_COST, |_| 640_000), []));
        assert_eq!(busy.next(0.25, NO_COST, |_| 640_000), [(kind::BYTES, 10_000)]);
    }

    #[test]
    fn stacks_cost_at_most_their_share_of_the_cpu_time() {
        // A stack costs 0.1 ms. With one CPU, 0.5 % are 50 stacks: half of the target of two kinds.
        let cost = StackCost { handlers_count: 1000, cpu_ns: 100_000_000 };
        let mut pace = pace(&[kind::CALLS], 100);
        pace.following.push(kind::BYTES);
        pace.add(kind::TICK, 1_000_000_000);
        assert_eq!(pace.next(1.0, cost, |_| 64_000), [(kind::CALLS, 256_000), (kind::BYTES, 4096)]);
        // A program without CPU time still gets a fifth of the target.
        (0..100).for_each(|_| pace.add(kind::CALLS, 1));
        assert_eq!(pace.next(1.0, cost, |_| 8000), [(kind::CALLS, 80_000), (kind::BYTES, 4096)]);
    }

    #[test]
    fn a_handler_that_was_stopped_for_long_is_forgotten() {
        let mut pace = pace(&[kind::CALLS], 0);
        pace.budget.stack_ns = 1e8;
        for second in 1..=40_u64 {
            pace.add(kind::TICK, 1_000_000_000);
            let cost = StackCost { handlers_count: 50 * second, cpu_ns: 50 * second * 30_000 };
            let _ = pace.next(1.0, cost, |_| 100);
        }
        assert!((pace.budget.share - 1.0).abs() < 1e-9, "{}", pace.budget.share);
    }

    #[test]
    fn what_the_user_set_stays() {
        let mut pace = pace(&[], 300);
        assert_eq!(pace.next(1.0, NO_COST, |_| 100), []);
    }
}
