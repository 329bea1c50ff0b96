//! How often events are sampled where the user did not say: about as many a second whatever the program
//! does.
//!
//! A program makes ten system calls a second or a million. The distance between two samples follows
//! what was seen in the last fraction of a second. Weights carry the distance that was in force, so
//! sums stay unbiased while it changes.

use super::records::kind;

/// Samples a second of each kind that are aimed at. A stack costs the program some 30 µs: 50 a second
/// are 0.15 % of a CPU, and a thousand in 20 s, which is what a share within 3 points needs.
const WANTED_PER_SECOND: f64 = 50.0;

/// A distance shrinks by this factor at most from one look to the next. It grows at once to what was seen:
/// a program that wakes up is sampled far too often until then.
const LARGEST_STEP: f64 = 8.0;

/// The kinds whose distance can follow the program: first and smallest distance.
const KINDS: [(u16, u64, u64); 4] = [
    (kind::CALLS, 500, 10),
    (kind::BYTES, 1 << 16, 4096),
    (kind::CALL_TIME, 10_000_000, 100_000),
    (kind::BLOCKED, 10_000_000, 100_000),
];

/// The distance of a kind before anything was seen.
pub(crate) fn first_interval(kind: u16) -> u64 {
    KINDS.iter().find(|known| known.0 == kind).map_or(0, |known| known.1)
}

/// Counts events and says how far apart they should be.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// By record kind: events since the last look.
    seen: [u64; 8],
    /// Kinds whose distance follows the program.
    following: Vec<u16>,
}

impl Pace {
    /// Follows the program for these kinds only; the others are as the user said.
    pub(crate) fn new(following: Vec<u16>) -> Self {
        Self { seen: [0; 8], following }
    }

    /// Notes an event.
    pub(crate) fn add(&mut self, kind: u16) {
        if let Some(seen) = self.seen.get_mut(usize::from(kind)) {
            *seen += 1;
        }
    }

    /// The distances to set after `seconds` since the last look; `now` gives those in force.
    pub(crate) fn next(&mut self, seconds: f64, now: impl Fn(u16) -> u64) -> Vec<(u16, u64)> {
        let seen = std::mem::take(&mut self.seen);
        let adapt = |(kind, _, smallest): (u16, u64, u64)| {
            let (count, interval) = (seen[usize::from(kind)] as f64, now(kind));
            let ratio = (count / (WANTED_PER_SECOND * seconds)).max(1.0 / LARGEST_STEP);
            let wanted = ((interval as f64 * ratio) as u64).max(smallest);
            // Small changes are noise.
            let is_other = wanted.abs_diff(interval) > interval / 4;
            (is_other && interval > 0).then_some((kind, wanted))
        };
        let following = KINDS.into_iter().filter(|known| self.following.contains(&known.0));
        following.filter_map(adapt).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_follows_the_program_both_ways() {
        let mut pace = Pace::new(vec![kind::CALLS]);
        (0..300).for_each(|_| pace.add(kind::CALLS));
        // 300 in a second at a distance of 100: six times as many as wanted.
        assert_eq!(pace.next(1.0, |_| 100), [(kind::CALLS, 600)]);
        // None since: closer again, but not at once, and never below the smallest.
        assert_eq!(pace.next(1.0, |_| 600), [(kind::CALLS, 75)]);
        assert_eq!(pace.next(1.0, |_| 20), [(kind::CALLS, 10)]);
        // Woken up: 20,000 a second at once.
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
