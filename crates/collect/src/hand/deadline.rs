//! How long whittle waits for hands.
//!
//! Each request has a deadline. In addition, there is a limit for the total time of a hand's slow responses, because a
//! hostile program could respond just before each deadline. When whittle ends, no hand delays the end.

use rustix::io::Errno;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Maximum time between two checks whether whittle ends.
const SLICE: Duration = Duration::from_millis(100);

/// A response is slow if it takes longer than this.
const SLOW: Duration = Duration::from_millis(100);
/// Maximum total time of slow responses without a pause.
const MAX_SLOW: Duration = Duration::from_secs(60);
/// The remaining time grows by the passed time divided by this number, because a slow disk can sometimes delay every
/// program.
const REFILL: u32 = 20;

/// The time at which all requests end.
static END: OnceLock<Instant> = OnceLock::new();

/// Ends all requests to hands after this time, also running requests. Call this when whittle must end soon. Only the
/// first call has an effect.
pub fn end_all_within(time: Duration) {
    let _ = END.set(Instant::now() + time);
}

/// True if all requests end now because whittle ends.
pub(super) fn is_ending() -> bool {
    END.get().is_some_and(|end| Instant::now() >= *end)
}

/// Calls `attempt` with short time limits, until a call is successful or fails with another error than `TIMEDOUT`, or
/// until the deadline has passed.
pub(super) fn wait<T>(deadline: Instant, attempt: impl Fn(Instant) -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        let end = END.get().map_or(deadline, |end| deadline.min(*end));
        match attempt(end.min(Instant::now() + SLICE)) {
            Err(Errno::TIMEDOUT) if Instant::now() < end => {}
            result => return result,
        }
    }
}

/// The remaining time for a hand's slow responses.
#[derive(Debug)]
pub(super) struct Patience {
    left: Duration,
    counted: Instant,
}

impl Default for Patience {
    fn default() -> Self {
        Self { left: MAX_SLOW, counted: Instant::now() }
    }
}

impl Patience {
    /// Counts a response that took this long. False: no time for slow responses remains.
    pub(super) fn take(&mut self, took: Duration) -> bool {
        let now = Instant::now();
        let refill = now.duration_since(self.counted).saturating_sub(took) / REFILL;
        self.counted = now;
        self.left = (self.left + refill).min(MAX_SLOW);
        if took > SLOW {
            self.left = self.left.saturating_sub(took);
        }
        !self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_slow_responses_are_too_many() {
        let mut patience = Patience::default();
        let slow = Duration::from_secs(4);
        let accepted = (0..100).take_while(|_| patience.take(slow)).count();
        assert_eq!(accepted, 14);
        assert!(patience.left < slow, "{:?}", patience.left);
    }

    #[test]
    fn fast_responses_are_never_too_many() {
        let mut patience = Patience::default();
        assert!((0..100_000).all(|_| patience.take(SLOW)));
    }

    #[test]
    fn a_wait_ends_at_its_deadline() {
        let deadline = Instant::now() + Duration::from_millis(250);
        let waited = wait(deadline, |until| {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
            Err::<(), _>(Errno::TIMEDOUT)
        });
        assert_eq!(waited, Err(Errno::TIMEDOUT));
        assert!(Instant::now() >= deadline);
        assert_eq!(wait(deadline, |_| Ok(7)), Ok(7));
    }
}
