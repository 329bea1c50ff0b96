//! Selects the changes that are named. Watched functions use Holm's correction, all other functions use the correction
//! of Benjamini and Hochberg.

use crate::regressions::{FleetCosts, Question};
use whittle_statistics::{Difference, benjamini_hochberg, detectable_ratio, holm};

/// The result for the change of one function among all functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Discovery {
    pub(super) adjusted_p: f64,
    /// Whether the change is named.
    pub(super) is_named: bool,
    /// The change is named only if the function's p is below this limit.
    pub(super) p_limit: f64,
}

/// The results of functions with a p, in the order of the input.
pub(super) fn discoveries(costs: &FleetCosts, question: &Question, ps: &[(usize, f64)]) -> Vec<Discovery> {
    let is_watched: Vec<bool> =
        ps.iter().map(|(function, _)| question.is_watched(&costs.functions[*function].name)).collect();
    let of = |wanted: bool| -> Vec<f64> {
        ps.iter().zip(&is_watched).filter(|(_, is)| **is == wanted).map(|((_, p), _)| *p).collect()
    };
    let (watched, others) = (of(true), of(false));
    let (mut holm, mut bh) = (holm(&watched).into_iter(), benjamini_hochberg(&others).into_iter());
    let named = benjamini_hochberg(&others).into_iter().filter(|p| *p <= question.false_discovery_ratio).count();
    // One more named function would need a p below this limit.
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

/// The smallest growth that is named with 80 % probability. `None`: unknown error.
pub(super) fn detectable_growth(difference: &Difference, p_limit: f64) -> Option<f64> {
    let saved = detectable_ratio(difference.standard_error, difference.freedom, p_limit)?;
    // `saved` is the share for a decrease of the logarithm. For an increase of the same size, the growth is
    // 1 / (1 - saved) - 1.
    let growth = saved / (1.0 - saved);
    growth.is_finite().then_some(growth)
}
