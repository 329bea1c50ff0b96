//! Finds moved cost: some functions of a class or package took over the work of other functions, and the total cost did
//! not change.
//!
//! A measured total is never exactly the same. The total is the same if its whole interval is within a limit. If the
//! interval is wider, cost may have moved.

use crate::verify::usable_runs::UsableRuns;
use crate::verify::view::USUAL_INTERVAL_RATIO;
use crate::verify::words::{change, nanos};
use crate::verify::{Design, FunctionChange, MovedCost, Order, RatioInterval};
use whittle_profile::sides::Side;

/// The largest remaining change of the total, as a share of the moved cost.
const LARGEST_NET: f64 = 0.25;

/// Moved cost among the functions that changed. Classes come before packages.
pub(super) fn moved(design: &Design, changed: &[FunctionChange], runs: &UsableRuns<'_>) -> Vec<MovedCost> {
    let mut all: Vec<MovedCost> = Vec::new();
    for group_of in [class_of, package_of] {
        let mut groups: Vec<&str> = changed.iter().filter_map(|change| group_of(&change.name)).collect();
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            let within: Vec<&FunctionChange> =
                changed.iter().filter(|change| group_of(&change.name) == Some(group)).collect();
            let is_told =
                all.iter().any(|it| within.iter().all(|f| it.from.contains(&f.name) || it.to.contains(&f.name)));
            if !is_told {
                all.extend(moved_within(design, (group, &within[..]), |name| group_of(name) == Some(group), runs));
            }
        }
    }
    all
}

/// What the change of a group's total cost shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Total {
    /// The whole 95 % interval of the change is within the limit.
    Same,
    /// The 95 % interval contains zero, and it is too wide to exclude a change beyond the limit.
    MayBeSame,
    Changed,
}

impl Total {
    /// The ends are logarithms of candidate ÷ baseline. The limit is a share of the baseline's total.
    fn of((low, high): (f64, f64), limit_ratio: f64) -> Self {
        if low > (1.0 - limit_ratio).ln() && high < (1.0 + limit_ratio).ln() {
            Self::Same
        } else if low <= 0.0 && high >= 0.0 {
            Self::MayBeSame
        } else {
            Self::Changed
        }
    }
}

fn moved_within(
    design: &Design,
    (group, changed): (&str, &[&FunctionChange]),
    is_within: impl Fn(&str) -> bool,
    runs: &UsableRuns<'_>,
) -> Option<MovedCost> {
    let grown = |change: &&FunctionChange| change.candidate_ns > change.baseline_ns;
    let (to, from): (Vec<&FunctionChange>, Vec<&FunctionChange>) = changed.iter().partition(|change| grown(change));
    let sum = |changes: &[&FunctionChange]| -> f64 {
        changes.iter().map(|change| (change.candidate_ns - change.baseline_ns).abs()).sum()
    };
    let moved_ns = sum(&to).min(sum(&from));
    let sums = runs.sum(|function| is_within(&function.name));
    let [before_ns, after_ns] = Side::BOTH.map(|side| runs.mean(&sums.0, side));
    let difference = runs.difference(&sums)?;
    let ends = difference.interval(USUAL_INTERVAL_RATIO);
    let total = Total::of(ends, LARGEST_NET * moved_ns / before_ns);
    if moved_ns <= 0.0 || (after_ns - before_ns).abs() > LARGEST_NET * moved_ns || total == Total::Changed {
        return None;
    }
    let names = |changes: &[&FunctionChange]| changes.iter().map(|change| change.name.clone()).collect::<Vec<_>>();
    let mut moved = MovedCost {
        within: group.to_owned(),
        from: names(&from),
        to: names(&to),
        moved_ns,
        ratio: difference.value.exp(),
        low_ratio: ends.0.exp(),
        high_ratio: ends.1.exp(),
        is_looks_like: total == Total::MayBeSame || design.order == Order::Sequential,
        sentence: String::new(),
    };
    moved.sentence = moved.sentence();
    Some(moved)
}

impl MovedCost {
    fn sentence(&self) -> String {
        let moved = if self.is_looks_like { "may have moved" } else { "moved" };
        format!(
            "Cost {moved} from {} to {}: {}; total of {}: {} ({})",
            self.from.join(", "),
            self.to.join(", "),
            nanos(self.moved_ns),
            self.within,
            change(self.ratio),
            RatioInterval::usual(self.low_ratio, self.high_ratio).words()
        )
    }
}

/// The class of a Java method: `app.Log` for `app.Log.write(int)`. `None`: not a Java method.
fn class_of(name: &str) -> Option<&str> {
    let method = name.split('(').next().filter(|method| !method.contains("::") && !method.contains(' '))?;
    method.rsplit_once('.').map(|(class, _)| class)
}

/// The package of a Java method: `app` for `app.Log.write(int)`. `None`: no package.
pub(crate) fn package_of(name: &str) -> Option<&str> {
    class_of(name)?.rsplit_once('.').map(|(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit is 10 % of the total. A test that cannot reject "no change" does not show that the total is the same.
    #[test]
    fn a_total_is_the_same_only_if_its_whole_interval_is_within_the_limit() {
        let of = |low: f64, high: f64| Total::of((low.ln(), high.ln()), 0.1);
        assert_eq!((of(0.95, 1.05), of(1.01, 1.05)), (Total::Same, Total::Same));
        assert_eq!((of(0.4, 1.8), of(0.95, 1.11)), (Total::MayBeSame, Total::MayBeSame));
        assert_eq!((of(0.8, 0.95), of(1.01, 1.2)), (Total::Changed, Total::Changed));
        assert_eq!(Total::of((f64::NAN, f64::NAN), 0.1), Total::Changed);
    }

    #[test]
    fn classes_and_packages_of_functions() {
        assert_eq!(class_of("app.io.Log.write(java.lang.String)"), Some("app.io.Log"));
        assert_eq!(package_of("app.io.Log.write(java.lang.String)"), Some("app.io"));
        assert_eq!((class_of("Slow.main(String[])"), package_of("Slow.main(String[])")), (Some("Slow"), None));
        assert_eq!((class_of("memcpy"), class_of("G1::collect(a.b)")), (None, None));
    }
}
