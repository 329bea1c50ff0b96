//! Decides which findings of two experiments are the same.

/// The properties by which findings are matched. Lines are not among them, because every edit moves lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    /// The detector.
    pub(super) detector: String,
    /// The calling method, without the parts that differ from run to run.
    pub(super) function: String,
    /// The method with the line to edit, without such parts. `None`: the line was not found.
    pub(super) site: Option<String>,
}

/// The part of an identity that one step of the search compares.
type Key<'a> = (&'a str, &'a str, &'a str);

/// The steps of the search, the strictest first.
const STEPS: [fn(&Identity) -> Option<Key<'_>>; 3] = [
    |it| Some((it.detector.as_str(), it.function.as_str(), it.site.as_deref()?)),
    |it| Some((it.detector.as_str(), it.function.as_str(), "")),
    |it| Some((it.detector.as_str(), "", it.site.as_deref()?)),
];

/// Pairs of positions in both lists with the same finding. Each position occurs once at most. If several findings of a
/// list have the same identity, they are matched in their order. With both lists swapped, the pairs are the same.
pub(super) fn pairs(left: &[&Identity], right: &[&Identity]) -> Vec<(usize, usize)> {
    let (mut is_left_free, mut is_right_free) = (vec![true; left.len()], vec![true; right.len()]);
    let mut pairs = Vec::new();
    for key in STEPS {
        for (one, of_left) in left.iter().enumerate().filter(|(one, _)| is_left_free[*one]).collect::<Vec<_>>() {
            let Some(wanted) = key(of_left) else { continue };
            let is_same = |other: &usize| is_right_free[*other] && key(right[*other]) == Some(wanted);
            if let Some(other) = (0..right.len()).find(is_same) {
                (is_left_free[one], is_right_free[other]) = (false, false);
                pairs.push((one, other));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};

    fn identity(text: &str) -> Identity {
        let mut words = text.split(' ');
        let mut next = || words.next().map(str::to_owned);
        Identity { detector: next().unwrap_or_default(), function: next().unwrap_or_default(), site: next() }
    }

    fn found(left: &[Identity], right: &[Identity]) -> Vec<(usize, usize)> {
        let mut found = pairs(&left.iter().collect::<Vec<_>>(), &right.iter().collect::<Vec<_>>());
        found.sort_unstable();
        found
    }

    fn found_in(left: &[&str], right: &[&str]) -> Vec<(usize, usize)> {
        let identities = |texts: &[&str]| texts.iter().map(|text| identity(text)).collect::<Vec<_>>();
        found(&identities(left), &identities(right))
    }

    #[test]
    fn the_same_pattern_in_the_same_method_is_the_same() {
        assert_eq!(found_in(&["write A.f A.new", "regex A.f"], &["regex A.f", "write A.f A.new"]), [(0, 1), (1, 0)]);
        assert_eq!(found_in(&["write A.f"], &["regex A.f"]), []);
        assert_eq!(found_in(&["write A.f"], &["write A.g"]), []);
    }

    #[test]
    fn one_method_is_enough() {
        // The line to edit moved to another method, or was not found on one side.
        assert_eq!(found_in(&["write A.f A.new"], &["write A.f B.new"]), [(0, 0)]);
        assert_eq!(found_in(&["write A.f A.new"], &["write A.f"]), [(0, 0)]);
        // Another method calls, but the same line makes the object.
        assert_eq!(found_in(&["write A.f A.new"], &["write A.g A.new"]), [(0, 0)]);
        // Unknown lines to edit are not the same.
        assert_eq!(found_in(&["write A.f"], &["write A.g"]), []);
    }

    #[test]
    fn the_best_match_comes_first() {
        assert_eq!(found_in(&["w A.f X", "w A.f Y"], &["w A.f Y", "w A.f X"]), [(0, 1), (1, 0)]);
        assert_eq!(found_in(&["w A.g X", "w A.f X"], &["w A.f X"]), [(1, 0)]);
        assert_eq!(found_in(&["w A.f", "w A.f"], &["w A.f", "w A.f"]), [(0, 0), (1, 1)]);
    }

    fn identities() -> impl Strategy<Value = Vec<Identity>> {
        let site = proptest::option::of("[XY]");
        let one = ("[wr]", "[abc]", site).prop_map(|(detector, function, site)| Identity { detector, function, site });
        vec(one, 0..8)
    }

    proptest! {
        #[test]
        fn sides_can_be_swapped(left in identities(), right in identities()) {
            let pairs = found(&left, &right);
            let mut swapped: Vec<_> = found(&right, &left).into_iter().map(|(one, other)| (other, one)).collect();
            swapped.sort_unstable();
            prop_assert_eq!(&pairs, &swapped);
            for (one, other) in &pairs {
                prop_assert_eq!(&left[*one].detector, &right[*other].detector);
                prop_assert_eq!(pairs.iter().filter(|pair| pair.0 == *one || pair.1 == *other).count(), 1);
            }
        }

        #[test]
        fn a_list_has_the_same_findings_as_itself(all in identities()) {
            let pairs = found(&all, &all);
            prop_assert!(pairs.iter().all(|(one, other)| all[*one] == all[*other]));
            prop_assert_eq!(pairs.len(), all.len());
        }
    }
}
