//! The layout of a trial's answer: text, CSV and Markdown.

use super::result::TrialView;
use whittle_findings::{RemedyPromise, TriedResult};
use whittle_render::labelled::{put, put_each, two_columns};
use whittle_render::markdown_text::{code, plain};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

impl View for TrialView {
    /// The CSV: one row.
    fn sheet(&self) -> Sheet {
        let fields = ["finding", "detector", "remedy", "result", "words", "ratio", "low_ratio", "high_ratio", "runs"];
        let tried = self.tried();
        let text = |text: &str| Cell::Text(text.to_owned());
        let cells = vec![
            text(&self.finding.to_string()),
            text(&self.detector),
            text(&self.trial.remedy),
            text(result_name(self.result)),
            text(&self.words),
            Cell::Ratio(tried.ratio),
            Cell::Ratio(tried.low_ratio),
            Cell::Ratio(tried.high_ratio),
            Cell::Count(tried.runs_count as f64),
        ];
        let heads = fields.map(|field| Head::text(field, field)).to_vec();
        Sheet { heads, rows: vec![SheetRow { cells, ..SheetRow::default() }], ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut rows = Vec::new();
        put(&mut rows, "Trying:", &self.trial.words());
        put(&mut rows, "Changed:", &self.changed_words());
        put(&mut rows, "Verdict:", &self.words);
        put_each(&mut rows, "Reasons:", &self.reasons());
        for (label, words) in [("Output:", &self.output), ("Files:", &self.files)] {
            words.iter().for_each(|words| put(&mut rows, label, words));
        }
        put_each(&mut rows, "Notes:", &self.notes);
        put_each(&mut rows, "Warnings:", &self.warnings());
        put(&mut rows, "Program:", &self.command);
        vec![two_columns(Vec::new(), rows)]
    }
}

impl TrialView {
    /// What the agent changed, and what the promise of the remedy is: `1 class, 1 place, which ran 3 times per run; …`.
    fn changed_words(&self) -> String {
        let runs: f64 = self.runs_of_places.values().sum();
        let ran = if self.classes_count == 0 {
            "nothing".to_owned()
        } else {
            format!(
                "{}, {} per run",
                counted(self.classes_count as f64, "class", "classes"),
                counted(runs, "execution", "executions")
            )
        };
        let promise = match self.trial.promise {
            RemedyPromise::Kept => "the condition:",
            RemedyPromise::Bound => "other work: an indication of what a fix saves, no limit:",
        };
        format!("{ran}; {promise} {}", self.trial.condition)
    }

    fn reasons(&self) -> Vec<String> {
        self.verification.iter().flat_map(|view| view.sentences.iter().cloned()).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.verification.iter().flat_map(|view| view.doubts.iter().map(|doubt| doubt.text.clone())).collect()
    }

    /// The answer as Markdown. Names come from untrusted programs, so all their special characters are escaped.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("## Trial: {}\n\n", plain(&self.words));
        let mut add = |label: &str, words: &str| text += &format!("- {label}: {}\n", plain(words));
        add("Trying", &self.trial.words());
        add("Changed", &self.changed_words());
        self.reasons().iter().for_each(|reason| add("Reason", reason));
        self.output.iter().for_each(|words| add("Output", words));
        self.files.iter().for_each(|words| add("Files", words));
        self.notes.iter().for_each(|note| add("Note", note));
        self.warnings().iter().for_each(|warning| add("Warning", warning));
        text + &format!("- Program: {}\n", code(&self.command))
    }
}

fn counted(number: f64, one: &str, several: &str) -> String {
    if number == 1.0 { format!("1 {one}") } else { format!("{number:.0} {several}") }
}

/// The result's name in CSV, the same as in JSON.
fn result_name(result: TriedResult) -> &'static str {
    match result {
        TriedResult::Improved => "improved",
        TriedResult::Worse => "worse",
        TriedResult::Changed => "changed",
        TriedResult::NoRelevantChange => "no_relevant_change",
        TriedResult::Inconclusive => "inconclusive",
        TriedResult::DifferentResults => "different_results",
        TriedResult::NotExercised => "not_exercised",
        TriedResult::NotTried => "not_tried",
    }
}
