//! Which of many changes are named: Holm's correction for watched functions, Benjamini and Hochberg's for all others.

use super::costs::FleetCosts;
use super::question::Question;
use crate::stats::{Difference, benjamini_hochberg, detectable_ratio, holm};

/// What is known of a function's change among all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Discovery {
    pub(super) adjusted_p: f64,
    /// Whether it is named.
    pub(super) is_named: bool,
    /// The limit that its own p had to be below to be named.
    pub(super) p_limit: f64,
}

/// Of functions by position, those with a p: the same order.
pub(super) fn discoveries(costs: &FleetCosts, question: &Question, ps: &[(usize, f64)]) -> Vec<Discovery> {
    let is_watched: Vec<bool> =
        ps.iter().map(|(function, _)| question.is_watched(&costs.functions[*function].name)).collect();
    let of = |wanted: bool| -> Vec<f64> {
        ps.iter().zip(&is_watched).filter(|(_, is)| **is == wanted).map(|((_, p), _)| *p).collect()
    };
    let (watched, others) = (of(true), of(false));
    let (mut holm, mut bh) = (holm(&watched).into_iter(), benjamini_hochberg(&others).into_iter());
    let named = benjamini_hochberg(&others).into_iter().filter(|p| *p <= question.false_discovery_ratio).count();
    // One more named function would have had to be below this.
    let others_limit =
        question.false_discovery_ratio * ((named + 1).min(others.len()) as f64 / others.len().max(1) as f64);
    let watched_limit = question.alpha_ratio / watched.len().max(1) as f64;
    let discovery = |is_watched: bool| {
        let (adjusted, limit, p_limit) = if is_watched {
            (holm.next(), question.alpha_ratio, watched_limit)
        } else {
            (bh.next(), question.false_discovery_ratio, others_limit)
        };
        let adjusted_p = adjusted.unwrap_or(1.0);
        Discovery { adjusted_p, is_named: adjusted_p <= limit, p_limit }
    };
    is_watched.into_iter().map(discovery).collect()
}

/// The smallest growth that is named with 80 % probability. Missing: an error that is not known.
pub(super) fn detectable_growth(difference: &Difference, p_limit: f64) -> Option<f64> {
    let saved = detectable_ratio(difference.standard_error, difference.freedom, p_limit)?;
    // As much in logarithms: 1 / (1 - saved) - 1.
    let growth = saved / (1.0 - saved);
    growth.is_finite().then_some(growth)
}
