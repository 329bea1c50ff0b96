//! Finds moved cost: some functions of a class or package took over the work of other functions, and the total cost did
//! not change.

use crate::verify::usable_runs::UsableRuns;
use crate::verify::words::{change, interval, nanos};
use crate::verify::{FunctionChange, MovedCost};
use whittle_profile::sides::Side;

/// The largest remaining change of the total, as a share of the moved cost.
const LARGEST_NET: f64 = 0.25;

/// Moved cost among the functions that changed. Classes come before packages.
pub(super) fn moved(changed: &[FunctionChange], runs: &UsableRuns<'_>) -> Vec<MovedCost> {
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
                all.extend(moved_within(group, &within, |name| group_of(name) == Some(group), runs));
            }
        }
    }
    all
}

fn moved_within(
    group: &str,
    changed: &[&FunctionChange],
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
    let net = runs.mean(&sums.0, Side::Candidate) - runs.mean(&sums.0, Side::Baseline);
    let difference = runs.difference(&sums)?;
    let (low, high) = difference.interval(0.95);
    if moved_ns <= 0.0 || net.abs() > LARGEST_NET * moved_ns || low > 0.0 || high < 0.0 {
        return None;
    }
    let names = |changes: &[&FunctionChange]| changes.iter().map(|change| change.name.clone()).collect::<Vec<_>>();
    let (from, to) = (names(&from), names(&to));
    let ratios = (difference.value.exp(), low.exp(), high.exp());
    let sentence = format!(
        "Cost moved from {} to {}: {}; total of {group}: {} ({})",
        from.join(", "),
        to.join(", "),
        nanos(moved_ns),
        change(ratios.0),
        interval(ratios.1, ratios.2)
    );
    let (ratio, low_ratio, high_ratio) = ratios;
    Some(MovedCost { within: group.to_owned(), from, to, moved_ns, ratio, low_ratio, high_ratio, sentence })
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

    #[test]
    fn classes_and_packages_of_functions() {
        assert_eq!(class_of("app.io.Log.write(java.lang.String)"), Some("app.io.Log"));
        assert_eq!(package_of("app.io.Log.write(java.lang.String)"), Some("app.io"));
        assert_eq!((class_of("Slow.main(String[])"), package_of("Slow.main(String[])")), (Some("Slow"), None));
        assert_eq!((class_of("memcpy"), class_of("G1::collect(a.b)")), (None, None));
    }
}
