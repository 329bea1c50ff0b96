//! What looks like a regression and is none: cost that moved within a package, and changes that went away.
//!
//! Both ask for evidence of their own. A package is noisier than a small function of it, so that "the package did not change
//! measurably" would excuse every small regression; therefore the package has to be known well enough to show that it did not
//! grow by what the function grew, or functions have to be named that lost as much.
//!
//! Source of both questions: FBDetect (D. Y. Yoon et al., SOSP 2024), "cost shift" and "went away".

use super::view::MovedWithin;
use crate::stats::Difference;

/// Of what moved, this part may be left over.
const LARGEST_NET: f64 = 0.5;
/// Functions that changed the other way have to explain this part.
const LEAST_EXPLAINED: f64 = 0.75;
/// A change that is gone has left at most this part of itself.
const LARGEST_LEFT: f64 = 0.5;
/// A window with fewer periods has no end of its own.
pub(super) const FEWEST_PERIODS_WITH_END: usize = 4;
/// The end of a window is this part of it.
const END_PARTS: usize = 4;

/// A domain with more than one function.
pub(super) struct Domain<'a> {
    pub(super) name: &'a str,
    /// Its change beyond the shared one.
    pub(super) difference: Difference,
    /// Its levels before and after, as the function's.
    pub(super) levels: (f64, f64),
    /// Functions of it that are named, with their amounts.
    pub(super) named: Vec<(&'a str, f64)>,
}

/// How much of a cost that change is: of the larger level, so that functions that are new or gone have an amount, too.
pub(super) fn amount((before, after): (f64, f64), change: f64) -> f64 {
    if change > 0.0 { -after * (-change).exp_m1() } else { before * change.exp_m1() }
}

/// Whether a change of this amount moved within the domain. Missing: it did not, or it cannot be said.
pub(super) fn moved_within(domain: &Domain<'_>, amount: f64, confidence_ratio: f64) -> Option<MovedWithin> {
    let (low, high) = domain.difference.interval(confidence_ratio);
    let is_unchanged = low <= 0.0 && high >= 0.0;
    // What the domain would have changed by if nothing else had.
    let alone = (amount / domain.levels.0).max(-1.0).ln_1p();
    let net = self::amount(domain.levels, domain.difference.value);
    let is_excluded = (alone < low || alone > high) && net.abs() <= LARGEST_NET * amount.abs();
    let opposite: Vec<(&str, f64)> = domain.named.iter().filter(|(_, other)| other * amount < 0.0).copied().collect();
    let explained = opposite.iter().map(|(_, amount)| amount.abs()).sum::<f64>();
    let is_explained = explained >= LEAST_EXPLAINED * amount.abs();
    (is_unchanged && (is_excluded || is_explained)).then(|| MovedWithin {
        domain: domain.name.to_owned(),
        ratio: domain.difference.value.exp(),
        low_ratio: low.exp(),
        high_ratio: high.exp(),
        with: opposite.into_iter().map(|(name, _)| name.to_owned()).collect(),
    })
}

/// Number of periods that are the end of a window. Missing: it is too short.
pub(super) fn end_length(period_count: usize) -> Option<usize> {
    (period_count >= FEWEST_PERIODS_WITH_END).then(|| period_count.div_ceil(END_PARTS))
}

/// Whether a change is gone: the end of time is like the time before, and has changed back from what was in between.
pub(super) fn went_away(change: f64, at_end: Difference, back: Difference, alpha_ratio: f64) -> bool {
    let is_like_before = at_end.p() > alpha_ratio && at_end.value.abs() < LARGEST_LEFT * change.abs();
    is_like_before && back.p() <= alpha_ratio && back.value * change < 0.0
}
