//! The time of several trials.

use std::time::{Duration, Instant};

/// Divides the time that the user allows among trials.
pub(super) struct TimeShares {
    /// No run begins after this time. `None`: no limit.
    end: Option<Instant>,
}

impl TimeShares {
    pub(super) fn new(time_box: Option<Duration>) -> Self {
        Self { end: time_box.and_then(|time_box| Instant::now().checked_add(time_box)) }
    }

    /// An equal share of the remaining time, if so many trials are left. A trial that ends early leaves its time to the others.
    pub(super) fn next(&self, trials_left: usize) -> Option<Duration> {
        let left = self.end?.saturating_duration_since(Instant::now());
        Some(left / u32::try_from(trials_left.max(1)).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_share_the_time() {
        assert_eq!(TimeShares::new(None).next(3), None);
        let shares = TimeShares::new(Some(Duration::from_secs(3600)));
        let minutes = |left| shares.next(left).map(|share| share.as_secs().div_ceil(60));
        assert_eq!((minutes(3), minutes(1), minutes(0)), (Some(20), Some(60), Some(60)));
        assert_eq!(TimeShares::new(Some(Duration::ZERO)).next(2), Some(Duration::ZERO));
    }
}
