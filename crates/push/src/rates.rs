//! Limits the rate of pushes with token buckets for requests and bytes. Each access token has two buckets, and there
//! are two buckets for all tokens together.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum burst: the average rate for this number of seconds.
const BURST_SECONDS: f64 = 5.0;

/// The average rate per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Number of requests.
    pub requests_per_second: f64,
    /// Number of bytes in bodies, before unpacking.
    pub bytes_per_second: f64,
}

/// The buckets.
#[derive(Debug)]
pub(super) struct Rates(Mutex<Buckets>);

#[derive(Debug)]
struct Buckets {
    /// One pair of buckets for each token. The last pair is for all tokens together.
    all: Vec<[Bucket; 2]>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    per_second: f64,
    /// Remaining amount. Negative after a request that was larger than the remaining amount.
    left: f64,
    /// The time at which `left` was computed. Missing: the bucket is full.
    at: Option<Instant>,
}

impl Bucket {
    fn new(per_second: f64) -> Self {
        let per_second = if per_second > 0.0 { per_second } else { f64::MIN_POSITIVE };
        Self { per_second, left: 0.0, at: None }
    }

    fn most(&self) -> f64 {
        (self.per_second * BURST_SECONDS).max(1.0)
    }

    fn fill(&mut self, now: Instant) {
        let gained =
            self.at.map_or(f64::INFINITY, |at| now.saturating_duration_since(at).as_secs_f64() * self.per_second);
        self.left = (self.left + gained).min(self.most());
        self.at = Some(now);
    }

    /// The waiting time until the amount `wanted` is available. `None`: this amount is already available.
    fn wait(&self, wanted: f64) -> Option<Duration> {
        let seconds = (wanted - self.left) / self.per_second;
        (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT))
    }
}

/// Maximum waiting time that is reported to a client.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

impl Rates {
    pub(super) fn new(token_count: usize, per_token: Rate, in_total: Rate) -> Self {
        let buckets = |rate: Rate| [Bucket::new(rate.requests_per_second), Bucket::new(rate.bytes_per_second)];
        let mut all = vec![buckets(per_token); token_count];
        all.push(buckets(in_total));
        Self(Mutex::new(Buckets { all }))
    }

    /// Counts a request of a token.
    ///
    /// # Errors
    /// The request is too early and is not counted. The error is the waiting time.
    pub(super) fn admit(&self, token: usize, now: Instant) -> Result<(), Duration> {
        self.with(token, |pairs| {
            let mut wait = None;
            for [requests, bytes] in &mut *pairs {
                requests.fill(now);
                bytes.fill(now);
                // The length of the body is not yet known, so any remaining amount is enough.
                wait = wait.max(requests.wait(1.0)).max(bytes.wait(0.0));
            }
            if let Some(wait) = wait {
                return Err(wait);
            }
            pairs.iter_mut().for_each(|[requests, _]| requests.left -= 1.0);
            Ok(())
        })
    }

    /// Counts the bytes of a body.
    pub(super) fn charge(&self, token: usize, byte_count: usize, now: Instant) {
        self.with(token, |pairs| {
            for [_, bytes] in pairs {
                bytes.fill(now);
                bytes.left -= byte_count as f64;
            }
        });
    }

    /// Calls `action` with the buckets of a token and the total buckets.
    fn with<T>(&self, token: usize, action: impl FnOnce(&mut [&mut [Bucket; 2]]) -> T) -> T {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = buckets.all.len() - 1;
        let mut chosen: Vec<&mut [Bucket; 2]> = buckets
            .all
            .iter_mut()
            .enumerate()
            .filter_map(|(position, pair)| (position == token || position == last).then_some(pair))
            .collect();
        action(&mut chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(requests_per_second: f64, bytes_per_second: f64) -> Rate {
        Rate { requests_per_second, bytes_per_second }
    }

    #[test]
    fn a_token_has_its_own_share() {
        let start = Instant::now();
        let rates = Rates::new(2, rate(2.0, 1e9), rate(100.0, 1e9));
        let admitted = (0..20).filter(|_| rates.admit(0, start).is_ok()).count();
        assert_eq!(admitted, 10, "five seconds' worth at once");
        assert_eq!(rates.admit(0, start), Err(Duration::from_millis(500)));
        assert_eq!(rates.admit(1, start), Ok(()), "another token");
        assert_eq!(rates.admit(0, start + Duration::from_millis(500)), Ok(()));
    }

    #[test]
    fn a_long_body_has_to_be_made_up_for() {
        let start = Instant::now();
        let rates = Rates::new(1, rate(1e6, 1_000.0), rate(1e6, 1e9));
        assert_eq!(rates.admit(0, start), Ok(()));
        rates.charge(0, 7_000, start);
        assert_eq!(rates.admit(0, start), Err(Duration::from_secs(2)));
        assert_eq!(rates.admit(0, start + Duration::from_secs(2)), Ok(()));
    }

    #[test]
    fn all_tokens_together_have_a_limit() {
        let start = Instant::now();
        let rates = Rates::new(100, rate(10.0, 1e9), rate(2.0, 1e9));
        assert_eq!((0..100).filter(|token| rates.admit(*token, start).is_ok()).count(), 10);
    }
}
