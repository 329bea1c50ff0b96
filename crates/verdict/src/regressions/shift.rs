//! The change that most functions share.
//!
//! Shares add up to one. If a function of 9 % is removed, the share of every other function grows by a tenth on
//! upgraded hosts. All these changes are certain, but meaningless. So a named change must also differ from the change
//! of most functions. This shared change is the median of ratios, weighted by precision. (S. Anders and W. Huber use
//! the median of ratios for counts, Genome Biology 11 (2010) R106.) The plain change must be significant, too. Without
//! this second condition, if all functions except one changed, the unchanged function would be named.

use whittle_statistics::Difference;

/// With fewer functions, the median is not meaningful.
const FEWEST_FUNCTIONS: usize = 10;

/// The weighted median of changes of logarithms. 0: there are too few functions.
pub(super) fn common_shift<'a>(differences: impl Iterator<Item = &'a Difference>) -> f64 {
    let weighted = |difference: &Difference| {
        let weight = difference.standard_error.powi(-2);
        (weight.is_finite() && weight > 0.0).then_some((difference.value, weight))
    };
    let mut all: Vec<(f64, f64)> = differences.filter_map(weighted).collect();
    if all.len() < FEWEST_FUNCTIONS {
        return 0.0;
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = all.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let reached = |(_, weight): &&(f64, f64)| {
        below += weight;
        below >= half
    };
    all.iter().find(reached).map_or(0.0, |(value, _)| *value)
}

/// The difference minus the shared change.
pub(super) fn beyond(difference: Difference, shift: f64) -> Difference {
    Difference { value: difference.value - shift, ..difference }
}

/// Returns the larger of two p, because both must be small. The first is p of the change. The second is p of the
/// change's difference from the shared change.
pub(super) fn p_of_both(difference: Difference, shift: f64) -> f64 {
    difference.p().max(beyond(difference, shift).p())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(values: &[f64], standard_error: f64) -> Vec<Difference> {
        values.iter().map(|value| Difference { value: *value, standard_error, freedom: 28.0 }).collect()
    }

    #[test]
    fn most_functions_outvote_a_few() {
        let mut all = differences(&[0.1; 9], 0.01);
        assert_eq!(common_shift(all.iter()), 0.0, "too few");
        all.extend(differences(&[-5.0, -5.0], 0.01));
        assert_eq!(common_shift(all.iter()), 0.1);
    }

    #[test]
    fn what_is_hardly_known_has_no_say() {
        let mut all = differences(&[0.1; 10], 0.01);
        all.extend(differences(&[-1.0; 30], 0.5));
        assert_eq!(common_shift(all.iter()), 0.1);
    }

    #[test]
    fn both_changes_have_to_be_there() {
        let found = differences(&[0.1], 0.01)[0];
        assert!(p_of_both(found, 0.0) < 1e-9);
        assert_eq!(p_of_both(found, 0.1), 1.0);
        assert_eq!(p_of_both(differences(&[0.0], 0.01)[0], 0.1), 1.0);
    }
}
