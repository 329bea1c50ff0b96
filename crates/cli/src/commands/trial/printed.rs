//! Compares what a program printed or wrote on both sides.
//!
//! ```text
//! lines of all baseline runs ──> a line is the same in all runs: compared as it is
//!                            ├── the same without times: compared without times
//!                            ├── the same without times and ids: compared without both
//!                            └── otherwise: only its shape, the text without numbers, must be known
//! ```
//!
//! If the baseline's runs have different numbers of lines, there are no positions. In this case, whittle compares how often
//! lines occur.

use super::mask::{shape, without_ids, without_times};
use std::collections::{BTreeMap, BTreeSet};

/// The comparison of a text that all runs print or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Compared {
    /// No candidate run differs.
    Same {
        /// The number of lines that differ between baseline runs.
        unsteady_count: usize,
    },
    /// A candidate run differs from the baseline.
    Different {
        /// The first difference in words.
        difference: String,
    },
}

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Standard output. A faster program reports its progress less often.
    Output,
    /// A file, in which each line counts.
    File,
}

/// Longer lines are shortened in messages.
const QUOTED_CHARACTERS: usize = 80;

/// Compares the texts of the candidate's runs with those of the baseline's runs.
pub(super) fn compare(source: Source, baseline: &[String], candidate: &[String]) -> Compared {
    let Some(first) = baseline.first() else { return Compared::Same { unsteady_count: 0 } };
    let is_steady = baseline.iter().all(|text| text == first);
    let lines = |text: &String| match source {
        Source::Output if !is_steady => progress_once(text),
        _ => text.lines().map(PrintedLine::once).collect(),
    };
    let baseline: Vec<Vec<PrintedLine>> = baseline.iter().map(lines).collect();
    let has_positions = baseline.iter().all(|lines| lines.len() == baseline[0].len());
    let expected = match has_positions {
        true => Expected::Positions(positions(&baseline), shapes(&baseline)),
        false => Expected::Counts(groups_of_runs(&baseline), shapes(&baseline), source),
    };
    let difference = candidate.iter().map(lines).find_map(|lines| expected.difference(&lines));
    match difference {
        Some(difference) => Compared::Different { difference },
        None => Compared::Same { unsteady_count: expected.unsteady_count() },
    }
}

/// A line, or several lines one after the other that differ only in their times.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PrintedLine {
    /// The line. Several lines have masks in place of their times.
    text: String,
    is_repeated: bool,
}

impl PrintedLine {
    fn once(line: &str) -> Self {
        Self { text: line.to_owned(), is_repeated: false }
    }
}

/// The lines. Lines that differ only in their times, one after the other, are one line: how many there are depends on the
/// speed of the program.
fn progress_once(text: &str) -> Vec<PrintedLine> {
    let mut lines: Vec<PrintedLine> = Vec::new();
    for line in text.lines() {
        let masked = without_times(line);
        let has_times = masked != line.trim_end();
        match lines.last_mut().filter(|last| has_times && without_times(&last.text) == masked) {
            Some(last) => *last = PrintedLine { text: masked, is_repeated: true },
            None => lines.push(PrintedLine::once(line)),
        }
    }
    lines
}

/// How much of a line is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Whole,
    WithoutTimes,
    WithoutIds,
}

impl Level {
    const ALL: [Self; 3] = [Self::Whole, Self::WithoutTimes, Self::WithoutIds];

    fn text(self, line: &str) -> String {
        match self {
            Self::Whole => line.to_owned(),
            Self::WithoutTimes => without_times(line),
            Self::WithoutIds => without_ids(line),
        }
    }
}

/// What is expected at a position.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Steady(Level, String),
    Unsteady,
}

/// The lines of one run that are equal without times and ids, by this text.
type Groups = BTreeMap<String, Vec<String>>;

/// What the baseline's runs have in common.
enum Expected {
    /// The expected line at each position, and the shapes of all lines.
    Positions(Vec<Line>, BTreeSet<String>),
    /// The groups of each run, and the shapes of all lines. The runs have different numbers of lines.
    Counts(Vec<Groups>, BTreeSet<String>, Source),
}

fn shapes(runs: &[Vec<PrintedLine>]) -> BTreeSet<String> {
    runs.iter().flatten().map(|line| shape(&line.text)).collect()
}

fn positions(runs: &[Vec<PrintedLine>]) -> Vec<Line> {
    let count = runs.first().map_or(0, Vec::len);
    (0..count).map(|position| line_at(&runs.iter().map(|lines| &lines[position]).collect::<Vec<_>>())).collect()
}

fn line_at(lines: &[&PrintedLine]) -> Line {
    let is_repeated = lines.iter().any(|line| line.is_repeated);
    let is_allowed = |level: &Level| *level != Level::Whole || !is_repeated;
    let steady = Level::ALL.into_iter().filter(is_allowed).find_map(|level| {
        let first = level.text(&lines[0].text);
        lines.iter().all(|line| level.text(&line.text) == first).then_some(Line::Steady(level, first))
    });
    steady.unwrap_or(Line::Unsteady)
}

fn groups_of_runs(runs: &[Vec<PrintedLine>]) -> Vec<Groups> {
    runs.iter().map(|lines| groups(lines)).collect()
}

fn groups(lines: &[PrintedLine]) -> Groups {
    let mut groups = Groups::new();
    for line in lines {
        groups.entry(without_ids(&line.text)).or_default().push(line.text.clone());
    }
    groups
}

impl Expected {
    fn unsteady_count(&self) -> usize {
        match self {
            Self::Positions(lines, _) => lines.iter().filter(|line| **line == Line::Unsteady).count(),
            Self::Counts(runs, ..) => {
                let known: BTreeSet<&String> = runs.iter().flat_map(BTreeMap::keys).collect();
                let count = |run: &Groups, name: &str| run.get(name).map_or(0, Vec::len);
                let is_unsteady = |name: &&&String| runs.iter().any(|run| count(run, name) != count(&runs[0], name));
                known.iter().filter(is_unsteady).count()
            }
        }
    }

    /// The first difference of a candidate run in words.
    fn difference(&self, lines: &[PrintedLine]) -> Option<String> {
        match self {
            Self::Positions(expected, shapes) => at_a_position((expected, shapes), lines),
            Self::Counts(runs, shapes, source) => {
                let found = groups(lines);
                let known: BTreeSet<&String> = runs.iter().flat_map(BTreeMap::keys).collect();
                let of_known = known.iter().find_map(|name| in_a_group(runs, &found, (name, *source)));
                let is_new = |name: &&String| !known.contains(*name) && !shapes.contains(&shape(name));
                of_known.or_else(|| found.keys().find(is_new).map(|name| format!("{} is new", quoted(name))))
            }
        }
    }
}

fn at_a_position((expected, shapes): (&[Line], &BTreeSet<String>), lines: &[PrintedLine]) -> Option<String> {
    for (position, (expected, line)) in expected.iter().zip(lines).enumerate() {
        let (is_same, wanted) = match expected {
            Line::Steady(level, text) => (*text == level.text(&line.text), quoted(text)),
            Line::Unsteady => (shapes.contains(&shape(&line.text)), "other text".to_owned()),
        };
        if !is_same {
            return Some(format!("line {}: {wanted} became {}", position + 1, quoted(&line.text)));
        }
    }
    let (wanted, found) = (expected.len(), lines.len());
    (wanted != found).then(|| format!("{} became {}", counted(wanted), counted(found)))
}

/// The difference between a candidate run and the baseline's runs in the lines of one group.
fn in_a_group(runs: &[Groups], found: &Groups, (name, source): (&str, Source)) -> Option<String> {
    let of = |groups: &Groups| groups.get(name).cloned().unwrap_or_default();
    let (wanted, found) = (runs.iter().map(of).collect::<Vec<_>>(), of(found));
    let fewest = wanted.iter().map(Vec::len).min().unwrap_or(0);
    if fewest > 0 && found.is_empty() {
        return Some(format!("{} is missing", quoted(name)));
    }
    let sorted = |level: Level, lines: &[String]| {
        let mut lines: Vec<String> = lines.iter().map(|line| level.text(line)).collect();
        lines.sort();
        lines
    };
    let steady = Level::ALL.into_iter().find_map(|level| {
        let first = sorted(level, &wanted[0]);
        wanted.iter().all(|lines| sorted(level, lines) == first).then_some((level, first))
    });
    if let Some((level, first)) = steady {
        let found = sorted(level, &found);
        let lost = || first.iter().zip(&found).find(|(wanted, found)| wanted != found);
        return match first.len() == found.len() {
            true => lost().map(|(wanted, found)| format!("{} became {}", quoted(wanted), quoted(found))),
            false => Some(became(name, first.len(), found.len())),
        };
    }
    // How often a program reports its progress depends on its speed.
    let is_progress =
        source == Source::Output && wanted.iter().flatten().all(|line| without_times(line) != line.trim_end());
    (found.len() < fewest && !is_progress).then(|| became(name, fewest, found.len()))
}

fn became(line: &str, wanted: usize, found: usize) -> String {
    format!("{} with the text {} became {}", counted(wanted), quoted(line), counted(found))
}

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// The start of a line in quotation marks.
pub(super) fn quoted(line: &str) -> String {
    let short: String = line.chars().take(QUOTED_CHARACTERS).collect();
    if short.len() < line.len() { format!("\"{short}…\"") } else { format!("\"{short}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn compared(baseline: &[&str], candidate: &[&str]) -> Compared {
        compare(Source::Output, &texts(baseline), &texts(candidate))
    }

    fn difference(baseline: &[&str], candidate: &[&str]) -> String {
        match compared(baseline, candidate) {
            Compared::Different { difference } => difference,
            same @ Compared::Same { .. } => format!("{same:?}"),
        }
    }

    #[test]
    fn a_changed_result_is_a_difference() {
        assert_eq!(compared(&["sum 17\n"; 2], &["sum 17\n"; 2]), Compared::Same { unsteady_count: 0 });
        assert_eq!(difference(&["sum 17\n"; 2], &["sum 18\n"]), "line 1: \"sum 17\" became \"sum 18\"");
        assert_eq!(difference(&["a\nb\n"; 2], &["a\n"]), "2 lines became 1 line");
        assert_eq!(difference(&["a\n"; 2], &["a\nError\n"]), "1 line became 2 lines");
        assert_eq!(difference(&[""; 2], &["x"]), "0 lines became 1 line");
    }

    #[test]
    fn times_and_ids_are_no_difference_if_the_baseline_has_several() {
        let same = Compared::Same { unsteady_count: 0 };
        assert_eq!(compared(&["took 1 s\n", "took 2 s\n"], &["took 9 s\n"]), same);
        assert_eq!(compared(&["a@1b2c3d\n", "a@2b2c3d\n"], &["a@3b2c3d\n"]), same);
        assert!(difference(&["crc 1f2e3d4c\n"; 2], &["crc 1f2e3d4d\n"]).contains("became"));
    }

    #[test]
    fn a_faster_program_reports_its_progress_less_often() {
        let progress = |count: usize| format!("start\n{}end\n", format!("rate 1.{count} documents/s\n").repeat(count));
        let same = Compared::Same { unsteady_count: 0 };
        assert_eq!(compared(&[&progress(6), &progress(7)], &[&progress(5)]), same);
        assert_eq!(compared(&[&progress(6), &progress(7)], &[&progress(1)]), same);
        assert_eq!(difference(&["a\na\n"; 2], &["a\n"]), "2 lines became 1 line");
    }

    #[test]
    fn an_unsteady_line_can_have_other_numbers_but_no_other_text() {
        let baseline = ["hits 5\nend\n", "hits 6\nend\n"];
        assert_eq!(compared(&baseline, &["hits 70\nend\n"]), Compared::Same { unsteady_count: 1 });
        assert!(difference(&baseline, &["no hits\nend\n"]).starts_with("line 1: other text became \"no hits\""));
    }

    #[test]
    fn without_positions_common_lines_must_stay_and_new_text_is_a_difference() {
        let baseline = ["start\nstep 1\nend\n", "start\nstep 1\nstep 2\nend\n"];
        assert!(matches!(compared(&baseline, &["start\nstep 1\nstep 2\nstep 3\nend\n"]), Compared::Same { .. }));
        assert_eq!(difference(&baseline, &["start\nstep 1\n"]), "\"end\" is missing");
        assert_eq!(difference(&baseline, &["start\nstep 1\nfailed\nend\n"]), "\"failed\" is new");
    }

    #[test]
    fn a_steady_line_is_compared_with_its_times_and_ids() {
        for (wanted, found) in [
            ("exchange rate 1.17", "exchange rate 1.18"),
            ("process 3 records", "process 2 records"),
            ("due 2026-01-31", "due 2026-01-30"),
            ("version 1.2.3 s", "version 1.2.4 s"),
        ] {
            let changes = difference(&[wanted; 2], &[found]);
            assert_eq!(changes, format!("line 1: \"{wanted}\" became \"{found}\""));
            let other_times = [format!("took 1 s\n{wanted}"), format!("took 2 s\n{wanted}")];
            let changes = difference(&[&other_times[0], &other_times[1]], &[&format!("took 3 s\n{found}")]);
            assert_eq!(changes, format!("line 2: \"{wanted}\" became \"{found}\""));
        }
    }

    #[test]
    fn lost_lines_are_seen_without_positions() {
        let baseline = ["put\nput\nput\nend\n", "put\nput\nput\nretry\nend\n"];
        let found = difference(&baseline, &["put\nend\n"]);
        assert_eq!(found, "3 lines with the text \"put\" became 1 line");
        let dated = ["day 2026-01-01\nday 2026-01-02\nx\n", "day 2026-01-01\nday 2026-01-02\n"];
        let compared = |found: &str| compare(Source::File, &texts(&dated), &texts(&[found]));
        assert!(matches!(compared("day 2026-01-01\nday 2026-01-02\n"), Compared::Same { .. }));
        assert!(matches!(compared("day 2026-01-01\n"), Compared::Different { .. }));
        assert!(matches!(compared("day 2026-01-01\nday 2026-01-03\n"), Compared::Different { .. }));
    }

    #[test]
    fn in_a_file_each_line_counts_and_also_lines_that_differ_only_in_times() {
        let lines = |first: &str| format!("{first} a\n05:00:01 a\n05:00:02 a\n");
        let baseline = [lines("05:00:00"), lines("04:00:00")];
        let found = compare(Source::File, &baseline, &texts(&["05:00:00 a\n"]));
        assert_eq!(found, Compared::Different { difference: "3 lines became 1 line".to_owned() });
    }
}
