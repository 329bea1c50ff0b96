//! Divides the findings of both sides into those that are gone, new and the same. A finding that only one side can show is
//! uncertain: for example, because the other side lacks the data for the pattern.

use super::matching::{Identity, pairs};
use super::seen::{RunFindings, Seen, Sight};
use super::{ComparedFinding, SeenOnSide};
use whittle_profile::Side;
use whittle_profile::order::sort_by;

/// The findings of a comparison.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) gone: Vec<ComparedFinding>,
    pub(super) new: Vec<ComparedFinding>,
    pub(super) same: Vec<ComparedFinding>,
    pub(super) uncertain: Vec<ComparedFinding>,
}

/// A pattern in the runs of one side.
struct OnSide<'a> {
    /// The pattern in the first run with a finding, otherwise in the first run.
    first: &'a Seen,
    found: Vec<f64>,
    small: Vec<f64>,
    denied: Option<&'a str>,
}

/// The lists for the runs of the baseline and of the candidate. In each list, the largest share comes first.
pub(super) fn lists(sides: &[Vec<RunFindings>; 2]) -> Lists {
    let [before, after] = sides.each_ref().map(|runs| on_side(runs));
    let pairs = pairs(&identities(&before), &identities(&after));
    let mut lists = Lists::default();
    let mut add = |both: [Option<&OnSide<'_>>; 2]| {
        if let Some((list, row)) = classified(both, sides) {
            lists.list(list).push(row);
        }
    };
    for (one, row) in before.iter().enumerate() {
        let other = pairs.iter().find(|pair| pair.0 == one);
        add([Some(row), other.map(|(_, other)| &after[*other])]);
    }
    for (_, row) in after.iter().enumerate().filter(|(other, _)| !pairs.iter().any(|pair| pair.1 == *other)) {
        add([None, Some(row)]);
    }
    for list in [&mut lists.gone, &mut lists.new, &mut lists.same, &mut lists.uncertain] {
        sort_by(list, |a, b| largest(b).total_cmp(&largest(a)).then_with(|| a.function.cmp(&b.function)));
    }
    lists
}

/// The names of the lists.
#[derive(Debug, Clone, Copy)]
enum List {
    Gone,
    New,
    Same,
    Uncertain,
}

impl Lists {
    fn list(&mut self, list: List) -> &mut Vec<ComparedFinding> {
        match list {
            List::Gone => &mut self.gone,
            List::New => &mut self.new,
            List::Same => &mut self.same,
            List::Uncertain => &mut self.uncertain,
        }
    }
}

fn identities<'a>(rows: &[OnSide<'a>]) -> Vec<&'a Identity> {
    rows.iter().map(|row| &row.first.identity).collect()
}

/// Merges the runs of a side: the same pattern in several runs is one row.
fn on_side(runs: &[RunFindings]) -> Vec<OnSide<'_>> {
    let mut rows: Vec<OnSide<'_>> = Vec::new();
    for run in runs {
        let seen: Vec<&Identity> = run.seen.iter().map(|seen| &seen.identity).collect();
        let known = pairs(&identities(&rows), &seen);
        for (position, seen) in run.seen.iter().enumerate() {
            match known.iter().find(|pair| pair.1 == position) {
                Some((row, _)) => rows[*row].add(seen),
                None => {
                    let mut row = OnSide { first: seen, found: Vec::new(), small: Vec::new(), denied: None };
                    row.add(seen);
                    rows.push(row);
                }
            }
        }
    }
    rows
}

impl<'a> OnSide<'a> {
    fn add(&mut self, seen: &'a Seen) {
        match &seen.sight {
            Sight::Found(ratio) => {
                if self.found.is_empty() {
                    self.first = seen;
                }
                self.found.push(*ratio);
            }
            Sight::Minor(ratio) => self.small.push(*ratio),
            Sight::Denied(reason) => self.denied = self.denied.or(Some(reason)),
        }
    }

    /// The side's values. `None`: no run has a share.
    fn shown(&self) -> Option<SeenOnSide> {
        let ratios = if self.found.is_empty() { &self.small } else { &self.found };
        let mean = ratios.iter().fold(0.0, |sum, ratio| sum + ratio) / ratios.len() as f64;
        (!ratios.is_empty()).then_some(SeenOnSide { runs_count: self.found.len(), ratio: mean })
    }
}

/// The list of a row. `None`: neither side has a finding.
fn classified(both: [Option<&OnSide<'_>>; 2], sides: &[Vec<RunFindings>; 2]) -> Option<(List, ComparedFinding)> {
    let is_found = both.map(|row| row.is_some_and(|row| !row.found.is_empty()));
    let (list, reason) = match is_found {
        [true, true] => (List::Same, None),
        [false, false] => return None,
        [is_in_baseline, _] => {
            let other = if is_in_baseline { Side::Candidate } else { Side::Baseline };
            let row = both[other as usize];
            if row.is_some_and(|row| !row.small.is_empty()) {
                (List::Same, Some(format!("too small for a finding in the {}", other.name())))
            } else if let Some(why) = why_uncertain(both, other, &sides[other as usize]) {
                (List::Uncertain, Some(why))
            } else {
                (if is_in_baseline { List::Gone } else { List::New }, None)
            }
        }
    };
    // The candidate is the code that can still be changed, so its names and lines are shown.
    let of_side = |side: usize| both[side].filter(|_| is_found[side]);
    let shown = of_side(1).or_else(|| of_side(0))?.first;
    let row = ComparedFinding {
        detector: shown.identity.detector.clone(),
        title: shown.title.clone(),
        function: shown.function.clone(),
        place: shown.place.clone(),
        measure: shown.measure,
        baseline: both[0].and_then(OnSide::shown),
        candidate: both[1].and_then(OnSide::shown),
        reason,
    };
    Some((list, row))
}

/// Why the side without a finding does not show that the cause is absent. `None`: it does.
fn why_uncertain(both: [Option<&OnSide<'_>>; 2], other: Side, runs: &[RunFindings]) -> Option<String> {
    let side = other.name();
    if let Some(reason) = both[other as usize].and_then(|row| row.denied) {
        return Some(format!("the {side} has the pattern, but {reason}"));
    }
    let detector = both.iter().flatten().next().map(|row| row.first.identity.detector.as_str());
    let mut missing = runs.iter().flat_map(|run| &run.not_checked);
    if let Some((_, needs)) = missing.find(|(missing, _)| Some(missing.as_str()) == detector) {
        return Some(format!("the {side} was not checked for this pattern, because it lacks {needs}"));
    }
    runs.iter().any(|run| run.is_cut).then(|| format!("the {side} has more findings than its list shows"))
}

fn largest(row: &ComparedFinding) -> f64 {
    row.baseline.iter().chain(&row.candidate).map(|side| side.ratio).fold(0.0, f64::max)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::detector::Measure;
    use proptest::prelude::{Strategy, prop_assert_eq, proptest};

    /// A run from lines such as `write A.f 84`, `write A.f small 1`, `write A.f denied` and `write unchecked`.
    pub(in crate::compared) fn run(text: &str) -> RunFindings {
        let mut run = RunFindings::default();
        for words in text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()) {
            let ratio = |text: &str| text.parse::<f64>().expect("a percentage") / 100.0;
            let (detector, function, sight) = match words.as_slice() {
                [] => continue,
                [detector, "unchecked"] => {
                    run.not_checked.push(((*detector).to_owned(), "system calls".to_owned()));
                    continue;
                }
                [detector, function, "small", percent] => (detector, function, Sight::Minor(ratio(percent))),
                [detector, function, "denied"] => (detector, function, Sight::Denied("it waits on purpose".to_owned())),
                [detector, function, percent] => (detector, function, Sight::Found(ratio(percent))),
                _ => panic!("{words:?}"),
            };
            run.seen.push(Seen {
                identity: Identity { detector: (*detector).to_owned(), function: (*function).to_owned(), site: None },
                title: format!("Title of {detector}"),
                function: format!("com.acme.{function}(int)"),
                place: None,
                measure: Measure::Cpu,
                sight,
            });
        }
        run
    }

    pub(in crate::compared) fn of_runs(baseline: &[&str], candidate: &[&str]) -> Lists {
        lists(&[baseline, candidate].map(|runs| runs.iter().map(|text| run(text)).collect()))
    }

    fn drawn(lists: &Lists) -> Vec<String> {
        let side = |side: &Option<SeenOnSide>| {
            side.as_ref().map_or("-".to_owned(), |side| format!("{:.0}x{}", side.ratio * 100.0, side.runs_count))
        };
        let named =
            [("gone", &lists.gone), ("new", &lists.new), ("same", &lists.same), ("uncertain", &lists.uncertain)];
        let row = |name: &str, row: &ComparedFinding| {
            let reason = row.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
            format!("{name} {} {} {}{reason}", row.detector, side(&row.baseline), side(&row.candidate))
        };
        named.iter().flat_map(|(name, list)| list.iter().map(|each| row(name, each))).collect()
    }

    #[test]
    fn findings_are_gone_new_or_the_same() {
        let lists =
            of_runs(&["write A.f 84\nregex A.g 5\nlock A.h 9"], &["regex A.g 30\nbox A.i 12\nlock A.h small 1"]);
        assert_eq!(
            drawn(&lists),
            [
                "gone write 84x1 -",
                "new box - 12x1",
                "same regex 5x1 30x1",
                "same lock 9x1 1x0, too small for a finding in the candidate",
            ]
        );
    }

    #[test]
    fn a_side_that_cannot_show_a_finding_is_no_proof() {
        let lists = of_runs(&["write A.f 84\nlock A.h 9"], &["write unchecked\nlock A.h denied"]);
        assert_eq!(
            drawn(&lists),
            [
                "uncertain write 84x1 -, the candidate was not checked for this pattern, because it lacks system calls",
                "uncertain lock 9x1 -, the candidate has the pattern, but it waits on purpose",
            ]
        );
        let cut = RunFindings { is_cut: true, ..run("") };
        let lists = super::lists(&[vec![cut], vec![run("box A.i 12")]]);
        assert_eq!(drawn(&lists), ["uncertain box - 12x1, the baseline has more findings than its list shows"]);
    }

    #[test]
    fn runs_of_a_side_are_one_row() {
        let lists = of_runs(&["write A.f 80", "write A.f 90", ""], &["box A.i 4", "box A.i 6\nwrite A.f small 1"]);
        assert_eq!(drawn(&lists), ["new box - 5x2", "same write 85x2 1x0, too small for a finding in the candidate"]);
    }

    #[test]
    fn patterns_that_no_side_reports_are_left_out() {
        assert!(drawn(&of_runs(&["write A.f small 2"], &["write A.f small 1\nlock A.h denied"])).is_empty());
    }

    fn runs() -> impl Strategy<Value = Vec<String>> {
        let sight = proptest::sample::select(vec!["50", "7", "small 1", "denied"]);
        let line =
            ("[wr]", "[abc]", sight).prop_map(|(detector, function, sight)| format!("{detector} {function} {sight}"));
        let unchecked = proptest::bool::weighted(0.1);
        let run = (proptest::collection::vec(line, 0..6), unchecked).prop_map(|(mut lines, unchecked)| {
            lines.extend(unchecked.then(|| "w unchecked".to_owned()));
            lines.join("\n")
        });
        proptest::collection::vec(run, 1..4)
    }

    /// The rows of the lists as if the sides were swapped.
    fn swapped(lists: &Lists) -> Vec<String> {
        let row = |row: &ComparedFinding| ComparedFinding {
            baseline: row.candidate.clone(),
            candidate: row.baseline.clone(),
            reason: row.reason.as_ref().map(|reason| {
                let reason = reason.replace("baseline", "#").replace("candidate", "baseline");
                reason.replace('#', "candidate")
            }),
            ..row.clone()
        };
        let rows = |list: &[ComparedFinding]| list.iter().map(row).collect();
        let lists = Lists {
            gone: rows(&lists.new),
            new: rows(&lists.gone),
            same: rows(&lists.same),
            uncertain: rows(&lists.uncertain),
        };
        sorted(&lists)
    }

    fn sorted(lists: &Lists) -> Vec<String> {
        let mut rows = drawn(lists);
        rows.sort();
        rows
    }

    proptest! {
        #[test]
        fn with_swapped_sides_gone_is_new(baseline in runs(), candidate in runs()) {
            let texts = |runs: &[String]| runs.iter().map(|text| run(text)).collect::<Vec<_>>();
            let there = lists(&[texts(&baseline), texts(&candidate)]);
            let back = lists(&[texts(&candidate), texts(&baseline)]);
            prop_assert_eq!(swapped(&there), sorted(&back));
        }
    }
}
