//! The lines of whittle's output that the demo shows. `…` marks left-out lines and cut lines.
//!
//! If a line is missing, whittle's words have changed. This is an error, because the demo must then change too.

use crate::Result;
use crate::terminal::{WIDTH, cut, fold_lines};

/// The shown labels of a finding. Its title and source lines are also shown.
const FINDING_LABELS: [&str; 4] = ["Expected saving:", "Called from:", "Edit:", "Evidence:"];

/// The shown labels of a trial.
const TRIAL_LABELS: [&str; 3] = ["Trying:", "Verdict:", "Output:"];

/// The mark in source lines: `30 │ out = …`.
const SOURCE_MARK: &str = "│";

/// The demo shows the rows of a comparison that have these endings. Without root, the kernel does not count system
/// calls.
const COMPARISON_ROWS: [&str; 4] = ["elapsed time per document", "s CPU", "System CPU", "System calls"];

/// The title above the comparison's functions. The functions' columns are too wide for the demo.
const FUNCTIONS_TITLE: &str = "Functions that ";

/// The last shown column of the verdict's table. The bars after this column are too wide for the demo.
const LAST_COLUMN: &str = "95 % interval";

/// The verdict's sentence with the expected and the measured saving. It is wider than the demo.
const PREDICTION: &str = "Expected saving:";

const GAP: &str = "…";

/// The lines that start with this text.
pub(crate) fn starting_with(text: &str, start: &str) -> Result<String> {
    let mut excerpt = Excerpt::default();
    text.lines().for_each(|line| excerpt.line(line, line.starts_with(start)));
    excerpt.finish(&[start])
}

/// The first finding: its title, and its most important labels.
pub(crate) fn first_finding(text: &str) -> Result<String> {
    let mut excerpt = Excerpt::default();
    let mut is_in_entry = false;
    let mut is_first = false;
    for line in text.lines() {
        is_first = line.starts_with("1 ") || is_first && !line.is_empty();
        let is_labelled = line.starts_with("1 ") || FINDING_LABELS.iter().any(|label| line.starts_with(label));
        is_in_entry = is_labelled || is_in_entry && line.starts_with(' ');
        excerpt.line(line, is_first && (is_labelled || is_in_entry && line.contains(SOURCE_MARK)));
    }
    excerpt.finish(&FINDING_LABELS)
}

/// What was tried, the verdict, and whether the program printed the same.
pub(crate) fn trial(text: &str) -> Result<String> {
    // An entry goes on in the lines that are indented.
    let mut entries: Vec<String> = Vec::new();
    for line in text.lines() {
        match entries.last_mut() {
            Some(entry) if line.starts_with(' ') => *entry += &format!(" {}", line.trim_start()),
            _ => entries.push(line.to_owned()),
        }
    }
    let mut excerpt = Excerpt::default();
    for entry in &entries {
        match TRIAL_LABELS.iter().find(|label| entry.starts_with(*label)) {
            Some(label) => excerpt.labelled(label, &entry[label.len()..]),
            None => excerpt.line(entry, false),
        }
    }
    excerpt.finish(&TRIAL_LABELS)
}

/// The verdict, the expected and the measured saving, and the table of endpoints.
pub(crate) fn verdict(text: &str) -> Result<String> {
    let mut excerpt = Excerpt::default();
    let mut columns = None;
    // The interval of the measured saving is in brackets, which can end on the next line.
    let mut sentence: Option<String> = None;
    for line in text.lines() {
        if line.trim_start().starts_with("endpoint ") {
            columns = line.find(LAST_COLUMN).map(|at| at + LAST_COLUMN.len());
        } else if line.is_empty() {
            columns = None;
        }
        match columns {
            Some(width) => excerpt.line(&line.chars().take(width).collect::<String>(), true),
            None if line.contains(PREDICTION) || sentence.is_some() => {
                let text = sentence.take().map_or(line.to_owned(), |begin| format!("{begin} {}", line.trim_start()));
                match has_open_bracket(&text) {
                    true => sentence = Some(text),
                    false => excerpt.folded(&text),
                }
            }
            None => excerpt.line(line, line.starts_with("Verdict:")),
        }
    }
    excerpt.finish(&["Verdict:", PREDICTION, LAST_COLUMN, "CPU time"])
}

/// True if the line ends inside brackets that it opens.
fn has_open_bracket(line: &str) -> bool {
    line.rfind('(').is_some_and(|open| line.rfind(')').is_none_or(|closed| closed < open))
}

/// The unit of work, and the rows about cost.
pub(crate) fn comparison(text: &str) -> Result<String> {
    let mut excerpt = Excerpt::default();
    let mut is_table = true;
    for line in text.lines() {
        is_table &= !line.starts_with(FUNCTIONS_TITLE);
        let is_head = line.starts_with("Values ") || line.trim_start().starts_with("baseline ");
        excerpt.line(line, is_table && (is_head || COMPARISON_ROWS.iter().any(|end| line.ends_with(end))));
    }
    excerpt.finish(&["per document", "baseline ", COMPARISON_ROWS[0], COMPARISON_ROWS[1]])
}

/// The kept lines, with one mark for each gap.
#[derive(Default)]
struct Excerpt {
    lines: Vec<String>,
    has_gap: bool,
}

impl Excerpt {
    fn line(&mut self, line: &str, is_kept: bool) {
        if is_kept {
            self.mark_gap();
            self.lines.push(cut(line, WIDTH));
        } else {
            // Empty lines are left out without a mark.
            self.has_gap |= !line.is_empty();
        }
    }

    /// Keeps a sentence whole, in several lines.
    fn folded(&mut self, line: &str) {
        fold_lines(line, usize::MAX).lines().for_each(|part| self.line(part, true));
    }

    /// Keeps a sentence whole, next to its label.
    fn labelled(&mut self, label: &str, sentence: &str) {
        let words = sentence.trim_start();
        let indent = label.len() + sentence.len() - words.len();
        let folded = fold_lines(&format!("{:indent$}{words}", ""), usize::MAX);
        for (number, part) in folded.lines().enumerate() {
            let first = format!("{label}{}", part.get(label.len()..).unwrap_or_default());
            self.line(if number == 0 { &first } else { part }, true);
        }
    }

    /// Puts the mark at the end of the last line, to save lines.
    fn mark_gap(&mut self) {
        if !std::mem::take(&mut self.has_gap) {
            return;
        }
        match self.lines.last_mut() {
            Some(last) if last.ends_with(GAP) => {}
            Some(last) => *last += " …",
            None => self.lines.push(GAP.to_owned()),
        }
    }

    /// Returns the text, which must contain all `wanted` words.
    fn finish(mut self, wanted: &[&str]) -> Result<String> {
        self.mark_gap();
        let text = self.lines.join("\n");
        match wanted.iter().find(|words| !text.contains(*words)) {
            Some(words) => Err(format!("the output of whittle was expected to contain \"{words}\"; found:\n{text}")),
            None => Ok(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_left_out_are_marked_once() {
        let excerpt = |text| starting_with(text, "documents ").expect("has them");
        assert_eq!(excerpt("rate 1\ndocuments 2\nrate 3\nrate 4\n"), "…\ndocuments 2 …");
        assert_eq!(excerpt("\ndocuments 2\n\n"), "documents 2");
        let long = format!("documents {}\nrate 1\n", "2".repeat(WIDTH));
        let excerpt = excerpt(&long);
        assert_eq!((excerpt.chars().count(), excerpt.matches(GAP).count()), (WIDTH, 1));
    }

    #[test]
    fn of_findings_the_first_is_shown_in_short() {
        let text = "\
Findings
Work threads:  crc-writer

1 certain         Unbuffered write
Spent here:       82 % of the CPU time
                  of crc-writer
Measured saving:  not yet
Called from:      A.write(int), A.java:39
                  39 │ out.write(b);
Expected saving:  about 80 %
Edit:             A.java:30: new
                  FileOutputStream(…)
                  30 │ out = x;
Field:            A.out
                  19 │ OutputStream out
Evidence:         1.0 bytes per call

2 certain         Unbuffered write
Edit:             B.java:3
";
        assert_eq!(
            first_finding(text).as_deref(),
            Ok("\
…
1 certain         Unbuffered write …
Called from:      A.write(int), A.java:39
                  39 │ out.write(b);
Expected saving:  about 80 %
Edit:             A.java:30: new …
                  30 │ out = x; …
Evidence:         1.0 bytes per call …")
        );
    }

    #[test]
    fn of_a_trial_the_change_and_the_verdict_are_shown() {
        let text = "\
Trying:    FileOutputStream in A.open (A.java:30) wrapped in a
           BufferedOutputStream
Changed:   1 class, 1 execution per run; the condition: data reach
           the file at flush
Verdict:   inconclusive, −12 % (95 % interval −72 to +63 %)
Reasons:   CPU time per document: inconclusive
Output:    the program printed the same on both sides, apart from times and 7 lines that differ from run to
           run
Program:   java A
";
        assert_eq!(
            trial(text).as_deref(),
            Ok("\
Trying:    FileOutputStream in A.open (A.java:30) wrapped in a BufferedOutputStream …
Verdict:   inconclusive, −12 % (95 % interval −72 to +63 %) …
Output:    the program printed the same on both sides, apart from times and 7 lines that differ from
           run to run …")
        );
    }

    #[test]
    fn the_verdict_comes_with_its_table() {
        let text = "\
Verification: ✔ improved

Verdict:    improved
Reasons:    CPU time per document: improved
            Expected saving: about 74 % of CPU time; measured: −77 % (95 %
            interval −81 to −71 %) for the whole program
            one more reason
Warnings:   one run

   endpoint       baseline  change   95 % interval  −100 %    0
✔  CPU time         246 ms   −77 %    −81 to −71 %      ├─●─┤

* primary endpoint, fixed before the runs
";
        assert_eq!(
            verdict(text).as_deref(),
            Ok("\
…
Verdict:    improved …
            Expected saving: about 74 % of CPU time; measured: −77 % (95 % interval −81 to −71 %)
            for the whole program …
   endpoint       baseline  change   95 % interval
✔  CPU time         246 ms   −77 %    −81 to −71 % …")
        );
    }

    #[test]
    fn of_a_comparison_the_rows_about_cost_are_shown() {
        let text = "\
Comparison
Values are per document

 baseline  candidate  ratio
   84.024     20.901  ×0.25  ms elapsed time per document
    2.551     11.901  ×4.67  documents per second
  216.075     41.305  ×0.19  ms CPU
   58.512     16.201  ×0.28  ms User CPU
97142.167  14551.067  ×0.15  System calls

Functions that changed most in exclusive cost
  baseline ms  function
        1.000  a.B.inAllSystem CPU
";
        assert_eq!(
            comparison(text).as_deref(),
            Ok("\
…
Values are per document
 baseline  candidate  ratio
   84.024     20.901  ×0.25  ms elapsed time per document …
  216.075     41.305  ×0.19  ms CPU …
97142.167  14551.067  ×0.15  System calls …")
        );
    }

    #[test]
    fn missing_lines_are_an_error() {
        assert!(starting_with("rate 1\n", "documents ").is_err_and(|error| error.contains("\"documents \"")));
        assert!(first_finding("Findings\nResult: none\n").is_err());
        assert!(trial("Verdict: improved\n").is_err());
        assert!(verdict("Verdict: improved\n").is_err());
        assert!(comparison("Values are per second\n").is_err());
    }
}
