//! The layout of the answer of `whittle try --all`: text, CSV and Markdown.

use super::result::Outcome;
use super::text::{diff_sheet, patch_markdown, put_patch, result_name};
use super::trials_view::{Answer, Row, TogetherView, TrialsView};
use whittle_findings::RemedyPromise;
use whittle_render::labelled::{put, two_columns};
use whittle_render::markdown_text::{code, plain};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

const TITLES: [&str; 5] = ["#", "Finding", "Expected saving", "Tried", "Result"];
const FIELDS: [&str; 12] = [
    "finding",
    "detector",
    "remedy",
    "promise",
    "expected_low_ratio",
    "expected_high_ratio",
    "result",
    "words",
    "ratio",
    "low_ratio",
    "high_ratio",
    "runs",
];

impl View for TrialsView {
    /// The CSV: one row for each finding, and a row for the findings together.
    fn sheet(&self) -> Sheet {
        let heads = FIELDS.map(|field| Head::text(field, field)).to_vec();
        let cells = self.findings.iter().map(csv_cells).chain(self.together.as_ref().map(csv_cells_together));
        let rows = cells.map(|cells| SheetRow { cells, ..SheetRow::default() }).collect();
        Sheet { heads, rows, ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let heads = TITLES.map(|title| Head::text(title, title)).to_vec();
        let row = |texts: [String; 5]| SheetRow { cells: texts.map(Cell::Text).to_vec(), ..SheetRow::default() };
        let table = Sheet { heads, rows: self.table().into_iter().map(row).collect(), ..Sheet::default() };
        let mut rows = Vec::new();
        self.not_together.iter().for_each(|reason| put(&mut rows, "Together:", &format!("not tried: {reason}")));
        for (index, note) in self.notes().iter().enumerate() {
            put(&mut rows, if index == 0 { "Notes:" } else { "" }, note);
        }
        put_patch(&mut rows, self.patch.as_ref());
        put(&mut rows, "Program:", &self.command);
        let sheets = vec![table, two_columns(Vec::new(), rows)];
        sheets.into_iter().chain(self.patch.as_ref().and_then(diff_sheet)).collect()
    }
}

impl TrialsView {
    /// The answer as Markdown. Names come from untrusted programs, so all their special characters are escaped.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("## Trials\n\n| {} |\n|--:|---|---|---|---|\n", TITLES.join(" | "));
        for row in self.table() {
            text += &format!("| {} |\n", row.map(|text| plain(&text)).join(" | "));
        }
        text += "\n";
        let reason = self.not_together.as_ref().map(|reason| format!("- Together: not tried: {}\n", plain(reason)));
        text += &reason.unwrap_or_default();
        self.notes().iter().for_each(|note| text += &format!("- Note: {}\n", plain(note)));
        text += &format!("- Program: {}\n", code(&self.command));
        text + &self.patch.as_ref().map(patch_markdown).unwrap_or_default()
    }

    /// The rows of the table.
    fn table(&self) -> Vec<[String; 5]> {
        let mut table: Vec<[String; 5]> = self.findings.iter().map(table_row).collect();
        table.extend(self.together.as_ref().map(|together| {
            let names: Vec<String> = together.findings.iter().map(usize::to_string).collect();
            let [tried, result] = tried_and_result(&together.outcome, RemedyPromise::Kept);
            [String::new(), format!("{} together", names.join(", ")), String::new(), tried, result]
        }));
        table
    }

    /// The notes and warnings of all trials.
    fn notes(&self) -> Vec<String> {
        let of_findings = self.findings.iter().filter_map(|row| Some((row.finding.to_string(), &row.trial()?.outcome)));
        let together = self.together.as_ref().map(|together| ("together".to_owned(), &together.outcome));
        let all = of_findings.chain(together);
        all.flat_map(|(name, outcome)| {
            let notes = outcome.notes.iter().cloned().chain(outcome.warnings());
            notes.map(|note| format!("{name}: {note}")).collect::<Vec<_>>()
        })
        .collect()
    }
}

fn table_row(row: &Row) -> [String; 5] {
    let expected = row.expected.as_ref().map_or("unknown".to_owned(), |expected| expected.program_words());
    let [tried, result] = match &row.answer {
        Answer::Tried(view) => tried_and_result(&view.outcome, view.trial.promise),
        Answer::Failed(reason) => ["-".to_owned(), format!("no answer: {}", first_line(reason))],
        Answer::Without(reason) => ["-".to_owned(), reason.clone()],
    };
    [row.finding.to_string(), row.detector.clone(), expected, tried, result]
}

/// The measured change, and the result without it.
fn tried_and_result(outcome: &Outcome, promise: RemedyPromise) -> [String; 2] {
    let verdict = outcome.verification.as_ref().map(|verification| verification.words.clone());
    let tried = outcome.change().unwrap_or_else(|| "-".to_owned());
    let bound = if promise == RemedyPromise::Bound && verdict.is_some() { "; not a fix" } else { "" };
    [tried, format!("{}{bound}", verdict.unwrap_or_else(|| outcome.words.clone()))]
}

/// A failed run's message has the program's last lines, which do not fit into a table.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn csv_cells(row: &Row) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let trial = row.trial();
    let promise = |promise: RemedyPromise| text(if promise == RemedyPromise::Kept { "kept" } else { "bound" });
    let expected = row.expected.as_ref();
    let mut cells = vec![
        text(&row.finding.to_string()),
        text(&row.detector),
        trial.map_or(Cell::Missing, |view| text(&view.trial.remedy)),
        trial.map_or(Cell::Missing, |view| promise(view.trial.promise)),
        Cell::Ratio(expected.map(|expected| expected.program_low_ratio)),
        Cell::Ratio(expected.map(|expected| expected.program_high_ratio)),
    ];
    cells.extend(match &row.answer {
        Answer::Tried(view) => outcome_cells(&view.outcome),
        Answer::Failed(reason) => without_outcome("failed", reason),
        Answer::Without(reason) => without_outcome("", reason),
    });
    cells
}

fn csv_cells_together(together: &TogetherView) -> Vec<Cell> {
    let detectors = Cell::Text(together.detectors.join(" "));
    let mut cells = vec![Cell::Text("together".to_owned()), detectors, Cell::Missing, Cell::Text("kept".to_owned())];
    cells.extend([Cell::Missing, Cell::Missing]);
    cells.extend(outcome_cells(&together.outcome));
    cells
}

fn outcome_cells(outcome: &Outcome) -> Vec<Cell> {
    let [ratio, low_ratio, high_ratio] = outcome.ratios().map(Cell::Ratio);
    let result = Cell::Text(result_name(outcome.result).to_owned());
    let runs = Cell::Count(outcome.runs_count() as f64);
    vec![result, Cell::Text(outcome.words.clone()), ratio, low_ratio, high_ratio, runs]
}

fn without_outcome(result: &str, reason: &str) -> Vec<Cell> {
    let mut cells = vec![Cell::Text(result.to_owned()), Cell::Text(first_line(reason).to_owned())];
    cells.extend([Cell::Missing, Cell::Missing, Cell::Missing, Cell::Missing]);
    cells
}
