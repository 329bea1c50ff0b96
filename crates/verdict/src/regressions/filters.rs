//! Changes that look like regressions but are not: cost that moved within a package, and temporary changes.
//!
//! Both filters need evidence. A package is noisier than a small function in it, so "the package did not change
//! measurably" would excuse every small regression. Therefore one of two conditions is required. Either the data shows
//! that the package grew less than the function, or named functions lost the same cost.
//!
//! Source of both filters: FBDetect (D. Y. Yoon et al., SOSP 2024), "cost shift" and "went away".

use crate::regressions::MovedWithin;
use whittle_statistics::Difference;

/// At most this share of a moved cost may remain as a change of the domain.
const LARGEST_NET: f64 = 0.5;
/// Functions that changed in the other direction must explain at least this share of the moved cost.
const LEAST_EXPLAINED: f64 = 0.75;
/// A change went away if at most this share of it remains.
const LARGEST_LEFT: f64 = 0.5;
/// A window with fewer periods has no end part.
pub(super) const FEWEST_PERIODS_WITH_END: usize = 4;
/// A window is divided into this many parts. The last part is its end.
const END_PARTS: usize = 4;

/// A domain with more than one function.
pub(super) struct Domain<'a> {
    pub(super) name: &'a str,
    /// The domain's change minus the shared change.
    pub(super) difference: Difference,
    /// The domain's levels before and after, like the function's levels.
    pub(super) levels: (f64, f64),
    /// Named functions of the domain, with their amounts.
    pub(super) named: Vec<(&'a str, f64)>,
}

/// The amount of cost that a change represents. It uses the larger level, so new and removed functions also have an
/// amount.
pub(super) fn amount((before, after): (f64, f64), change: f64) -> f64 {
    if change > 0.0 { -after * (-change).exp_m1() } else { before * change.exp_m1() }
}

/// Whether a change of this amount moved within the domain. `None`: it did not move, or this is unknown.
pub(super) fn moved_within(domain: &Domain<'_>, amount: f64, confidence_ratio: f64) -> Option<MovedWithin> {
    let (low, high) = domain.difference.interval(confidence_ratio);
    let is_unchanged = low <= 0.0 && high >= 0.0;
    // The domain's change if only this function had changed.
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

/// Number of periods at the end of a window. `None`: the window is too short.
pub(super) fn end_length(period_count: usize) -> Option<usize> {
    (period_count >= FEWEST_PERIODS_WITH_END).then(|| period_count.div_ceil(END_PARTS))
}

/// Whether a change went away. The end must resemble the time before the change, and differ from the time between the
/// change and the end.
pub(super) fn went_away(change: f64, at_end: Difference, back: Difference, alpha_ratio: f64) -> bool {
    let is_like_before = at_end.p() > alpha_ratio && at_end.value.abs() < LARGEST_LEFT * change.abs();
    is_like_before && back.p() <= alpha_ratio && back.value * change < 0.0
}
