//! The first sentence about a comparison: which findings went away, and how much less CPU time the candidate used. It
//! states what these runs show. Only a verification shows that the program improved.

use super::ComparedFinding;
use super::lists::Lists;
use crate::words::share;
use whittle_profile::sides::{Comparison, Per};

/// A smaller change of CPU time is no change.
const SAME_CPU_RATIO: f64 = 0.005;
/// From this factor on, growth is a factor instead of a percentage.
const FACTOR_FROM: f64 = 2.0;

/// The sentence. `cpu_ns` is the CPU time of both sides, in nanoseconds per unit of the comparison.
pub(super) fn sentence(lists: &Lists, comparison: &Comparison, cpu_ns: Option<[f64; 2]>) -> String {
    let cpu = cpu_ns.and_then(|sides| cpu_words(sides, &comparison.per.per));
    let parts: Vec<String> = findings_words(lists).into_iter().chain(cpu).collect();
    format!("{}: {}.", runs_words(comparison), parts.join("; "))
}

/// The runs to which the sentence refers.
fn runs_words(comparison: &Comparison) -> String {
    match (comparison.baseline.runs, comparison.candidate.runs) {
        (1, 1) => "In this pair of runs".to_owned(),
        (before, after) => format!("In these runs ({before} of the baseline, {after} of the candidate)"),
    }
}

fn findings_words(lists: &Lists) -> Vec<String> {
    let shrank = |row: &&ComparedFinding| row.candidate.as_ref().is_some_and(|side| side.runs_count == 0);
    let grew = |row: &&ComparedFinding| row.baseline.as_ref().is_some_and(|side| side.runs_count == 0);
    let small: Vec<&ComparedFinding> = lists.same.iter().filter(shrank).collect();
    let large: Vec<&ComparedFinding> = lists.same.iter().filter(grew).collect();
    let uncertain = match lists.uncertain.len() {
        0 => None,
        1 => Some("one finding cannot be compared".to_owned()),
        count => Some(format!("{count} findings cannot be compared")),
    };
    let changes: Vec<String> = [
        (lists.gone.iter().collect(), "went away"),
        (small, "became too small for a finding"),
        (lists.new.iter().collect(), "appeared"),
        (large, "was too small for a finding before"),
    ]
    .iter()
    .filter_map(|(rows, verb): &(Vec<&ComparedFinding>, &str)| counted(rows, verb))
    .collect();
    let unchanged = match lists.same.len() {
        _ if !changes.is_empty() => None,
        0 if uncertain.is_some() => None,
        0 => Some("neither side has a finding".to_owned()),
        1 => Some("both sides have the same finding".to_owned()),
        count => Some(format!("both sides have the same {count} findings")),
    };
    changes.into_iter().chain(unchanged).chain(uncertain).collect()
}

/// `the finding "Unbuffered write" in Log.write went away`. `None`: there are no rows.
fn counted(rows: &[&ComparedFinding], verb: &str) -> Option<String> {
    let first = rows.first()?;
    let name = format!("\"{}\" in {}", first.title, short_name(&first.function));
    Some(match rows.len() {
        1 => format!("the finding {name} {verb}"),
        count => format!("{count} findings {}, the largest is {name}", verb.replace("was ", "were ")),
    })
}

/// The class and the method of a displayed name, without package and parameters: `Log.write`.
fn short_name(function: &str) -> &str {
    let name = function.split('(').next().unwrap_or(function);
    let last_two = name.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
    &name[last_two..]
}

/// `CPU per document is 81 % lower`. `None`: the CPU time is unknown, or values are per second of it.
fn cpu_words([baseline, candidate]: [f64; 2], per: &Per) -> Option<String> {
    if baseline <= 0.0 || candidate <= 0.0 || *per == Per::CpuSecond {
        return None;
    }
    let ratio = candidate / baseline;
    let change = if (ratio - 1.0).abs() < SAME_CPU_RATIO {
        "the same".to_owned()
    } else if ratio < 1.0 {
        format!("{} lower", share(1.0 - ratio))
    } else if ratio < FACTOR_FROM {
        format!("{} higher", share(ratio - 1.0))
    } else {
        format!("{ratio:.1} times as high")
    };
    Some(format!("CPU {} is {change}", per.words()))
}

#[cfg(test)]
mod tests {
    use super::super::lists::tests::of_runs;
    use super::*;
    use whittle_profile::sides::{ComparedSide, PerAnswer};

    fn comparison(runs: [usize; 2], per: Per) -> Comparison {
        let side = |runs| ComparedSide { name: String::new(), runs, duration_ns: 0, cpu_ns: 0.0, units: None };
        let per = PerAnswer { words: per.words(), per };
        Comparison { baseline: side(runs[0]), candidate: side(runs[1]), per, words: String::new() }
    }

    fn of(baseline: &str, candidate: &str, cpu_ns: [f64; 2]) -> String {
        let documents = comparison([1, 1], Per::Unit("documents".to_owned()));
        sentence(&of_runs(&[baseline], &[candidate]), &documents, Some(cpu_ns))
    }

    #[test]
    fn the_sentence_states_what_a_pair_of_runs_shows() {
        assert_eq!(
            of("write A.f 84", "", [150.0, 28.5]),
            "In this pair of runs: the finding \"Title of write\" in A.f went away; CPU per document is 81 % lower."
        );
        assert_eq!(
            of("write A.f 84\nlock A.g 9", "box A.h 7\nlock A.g small 1", [150.0, 450.0]),
            "In this pair of runs: the finding \"Title of write\" in A.f went away; \
             the finding \"Title of lock\" in A.g became too small for a finding; \
             the finding \"Title of box\" in A.h appeared; CPU per document is 3.0 times as high."
        );
        assert_eq!(
            of("write A.f 84\nlock A.g 9", "", [100.0, 104.0]),
            "In this pair of runs: 2 findings went away, the largest is \"Title of write\" in A.f; \
             CPU per document is 4.0 % higher."
        );
    }

    #[test]
    fn without_a_change_the_sentence_says_so() {
        assert_eq!(
            of("", "", [100.0, 100.1]),
            "In this pair of runs: neither side has a finding; CPU per document is the same."
        );
        assert_eq!(of("w A.f 9", "w A.f 8", [0.0, 1.0]), "In this pair of runs: both sides have the same finding.");
        assert_eq!(of("w A.f 9", "w unchecked", [0.0, 1.0]), "In this pair of runs: one finding cannot be compared.");
    }

    #[test]
    fn several_runs_are_counted_and_seconds_are_named() {
        let lists = of_runs(&["w A.f 9", ""], &["", "", ""]);
        assert_eq!(
            sentence(&lists, &comparison([2, 3], Per::Second), Some([2.0, 1.0])),
            "In these runs (2 of the baseline, 3 of the candidate): the finding \"Title of w\" in A.f went away; \
             CPU per second of elapsed time is 50 % lower."
        );
        assert!(!sentence(&lists, &comparison([1, 1], Per::CpuSecond), Some([2.0, 1.0])).contains("CPU"));
    }

    #[test]
    fn names_are_short() {
        assert_eq!(short_name("a.b.C.f(int, d.E)"), "C.f");
        assert_eq!(short_name("C.f"), "C.f");
        assert_eq!(short_name("write"), "write");
    }
}
