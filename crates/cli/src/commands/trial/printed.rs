//! Compares what a program printed on both sides.
//!
//! ```text
//! lines of all baseline runs ──> a line is the same in all runs: compared
//!                            ├── the same without ids: compared without ids
//!                            └── otherwise: only its shape, the text without numbers, must be known
//! ```
//!
//! A program that prints different numbers of lines has no positions. In this case, lines that all baseline runs have must
//! also be in each candidate run.

use super::mask::{shape, without_ids, without_times};
use std::collections::BTreeSet;

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

/// Longer lines are shortened in messages.
const QUOTED_CHARACTERS: usize = 80;

/// Compares the texts of the candidate's runs with those of the baseline's runs.
pub(super) fn compare(baseline: &[String], candidate: &[String]) -> Compared {
    let lines = |text: &String| masked_lines(text);
    let baseline: Vec<Vec<String>> = baseline.iter().map(lines).collect();
    let Some(first) = baseline.first() else { return Compared::Same { unsteady_count: 0 } };
    let has_positions = baseline.iter().all(|lines| lines.len() == first.len());
    let expected = if has_positions { Expected::by_position(&baseline) } else { Expected::by_text(&baseline) };
    let difference = candidate.iter().map(lines).find_map(|lines| expected.difference(&lines));
    match difference {
        Some(difference) => Compared::Different { difference },
        None => Compared::Same { unsteady_count: expected.unsteady_count() },
    }
}

/// The lines without times. Lines that differ only in their times, one after the other, are one line: how many there are
/// depends on the speed of the program.
fn masked_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let masked = without_times(line);
        let is_repeated = masked != line.trim_end() && lines.last() == Some(&masked);
        if !is_repeated {
            lines.push(masked);
        }
    }
    lines
}

/// What the baseline's runs have in common.
struct Expected {
    /// The expected line at each position. `None`: the runs have different numbers of lines.
    positions: Option<Vec<Line>>,
    /// Lines that all runs have.
    always: BTreeSet<String>,
    /// Lines of any run.
    known: BTreeSet<String>,
    /// The shapes of all lines.
    shapes: BTreeSet<String>,
}

/// What is expected at a position.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Exact(String),
    WithoutIds(String),
    Unsteady,
}

impl Expected {
    fn by_position(baseline: &[Vec<String>]) -> Self {
        let line = |position: usize| {
            let all = || baseline.iter().filter_map(move |lines| lines.get(position));
            let first = all().next().cloned().unwrap_or_default();
            if all().all(|line| *line == first) {
                return Line::Exact(first);
            }
            let masked = without_ids(&first);
            if all().all(|line| without_ids(line) == masked) { Line::WithoutIds(masked) } else { Line::Unsteady }
        };
        let count = baseline.first().map_or(0, Vec::len);
        Self { positions: Some((0..count).map(line).collect()), ..Self::by_text(baseline) }
    }

    fn by_text(baseline: &[Vec<String>]) -> Self {
        let of = |lines: &Vec<String>| lines.iter().map(|line| without_ids(line)).collect::<BTreeSet<_>>();
        let sets: Vec<BTreeSet<String>> = baseline.iter().map(of).collect();
        let known: BTreeSet<String> = sets.iter().flatten().cloned().collect();
        let always = known.iter().filter(|line| sets.iter().all(|set| set.contains(*line))).cloned().collect();
        let shapes = known.iter().map(|line| shape(line)).collect();
        Self { positions: None, always, known, shapes }
    }

    fn unsteady_count(&self) -> usize {
        match &self.positions {
            Some(lines) => lines.iter().filter(|line| **line == Line::Unsteady).count(),
            None => self.known.len() - self.always.len(),
        }
    }

    /// The first difference of a candidate run in words.
    fn difference(&self, lines: &[String]) -> Option<String> {
        match &self.positions {
            Some(expected) => self.at_a_position(expected, lines),
            None => self.in_the_texts(lines),
        }
    }

    fn at_a_position(&self, expected: &[Line], lines: &[String]) -> Option<String> {
        for (position, (expected, line)) in expected.iter().zip(lines).enumerate() {
            let (is_same, wanted) = match expected {
                Line::Exact(text) => (text == line, quoted(text)),
                Line::WithoutIds(text) => (*text == without_ids(line), quoted(text)),
                Line::Unsteady => (self.shapes.contains(&shape(line)), "other text".to_owned()),
            };
            if !is_same {
                return Some(format!("line {}: {wanted} became {}", position + 1, quoted(line)));
            }
        }
        let (wanted, found) = (expected.len(), lines.len());
        (wanted != found).then(|| format!("{} became {}", counted(wanted), counted(found)))
    }

    fn in_the_texts(&self, lines: &[String]) -> Option<String> {
        let found: BTreeSet<String> = lines.iter().map(|line| without_ids(line)).collect();
        if let Some(missing) = self.always.iter().find(|line| !found.contains(*line)) {
            return Some(format!("{} is missing", quoted(missing)));
        }
        let is_new = |line: &&String| !self.known.contains(*line) && !self.shapes.contains(&shape(line));
        found.iter().find(is_new).map(|line| format!("{} is new", quoted(line)))
    }
}

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

fn quoted(line: &str) -> String {
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
        compare(&texts(baseline), &texts(candidate))
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
    fn times_are_no_difference_and_ids_only_if_they_are_steady() {
        let same = Compared::Same { unsteady_count: 0 };
        assert_eq!(compared(&["took 1 s\n"; 2], &["took 9 s\n"]), same);
        assert_eq!(compared(&["a@1b2c3d\n", "a@2b2c3d\n"], &["a@3b2c3d\n"]), same);
        assert!(difference(&["crc 1f2e3d4c\n"; 2], &["crc 1f2e3d4d\n"]).contains("became"));
    }

    #[test]
    fn a_faster_program_reports_its_progress_less_often() {
        let progress = |count: usize| format!("start\n{}end\n", "rate 1.5 documents/s\n".repeat(count));
        let same = Compared::Same { unsteady_count: 0 };
        assert_eq!(compared(&[&progress(6), &progress(6)], &[&progress(5)]), same);
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
}
