//! The order of the runs.
//!
//! ```text
//! discarded   pair 0                  pair 1                  pair 2
//! A B         A B  profiled A B       B A  profiled B A       A B  profiled A B   …
//! ```
//!
//! A pair has a run of each side, and the next pair has the other order: A B B A A B B A. So a slow change of the
//! machine's speed affects both sides equally. Profiled runs form separate pairs between the timed pairs.

use whittle_profile::Side;

/// The purpose of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// The run fills file caches, and its values are not used. The baseline's first discarded run is profiled to choose
    /// the finding.
    Discarded,
    /// The time of the run is measured.
    Timed,
    /// The samples of the run are used.
    Profiled,
}

/// One run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) side: Side,
    pub(crate) purpose: Purpose,
    /// Number of the run's pair. Each purpose counts its pairs separately.
    pub(crate) pair: u32,
    pub(crate) is_profiled: bool,
}

/// Numbers of runs per side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) discarded: u32,
    pub(crate) timed: u32,
    pub(crate) profiled: u32,
}

/// All runs in their order.
pub(crate) fn plan(counts: Counts) -> Vec<Step> {
    let discarded = (0..counts.discarded).map(|pair| (Purpose::Discarded, pair));
    let both = (0..counts.timed.max(counts.profiled)).flat_map(move |pair| {
        let timed = (pair < counts.timed).then_some((Purpose::Timed, pair));
        let profiled = (pair < counts.profiled).then_some((Purpose::Profiled, pair));
        timed.into_iter().chain(profiled)
    });
    let is_profiled = move |side, purpose, pair| match purpose {
        Purpose::Discarded => pair == 0 && side == Side::Baseline && counts.profiled > 0,
        Purpose::Timed => false,
        Purpose::Profiled => true,
    };
    let step = move |side, (purpose, pair)| Step { side, purpose, pair, is_profiled: is_profiled(side, purpose, pair) };
    let pairs = discarded.chain(both);
    pairs.flat_map(|(purpose, pair)| order(pair).map(|side| step(side, (purpose, pair)))).collect()
}

/// The order of the sides in a pair. Every second pair has the reverse order.
fn order(pair: u32) -> [Side; 2] {
    if pair.is_multiple_of(2) { Side::BOTH } else { [Side::Candidate, Side::Baseline] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan as text: A and B are timed, a and b are profiled, (A) is discarded.
    fn drawn(discarded: u32, timed: u32, profiled: u32) -> String {
        let letter = |step: Step| {
            let letter = if step.side == Side::Baseline { 'A' } else { 'B' };
            let letter = if step.is_profiled { letter.to_ascii_lowercase() } else { letter };
            if step.purpose == Purpose::Discarded { format!("({letter})") } else { letter.to_string() }
        };
        plan(Counts { discarded, timed, profiled }).into_iter().map(letter).collect::<Vec<_>>().concat()
    }

    #[test]
    fn sides_change_their_order_from_pair_to_pair() {
        assert_eq!(drawn(1, 4, 0), "(A)(B)ABBAABBA");
        assert_eq!(drawn(1, 3, 3), "(a)(B)ABabBAbaABab");
        assert_eq!(drawn(0, 1, 2), "ABabba");
        assert_eq!(drawn(2, 1, 1), "(a)(B)(B)(A)ABab");
    }
}
