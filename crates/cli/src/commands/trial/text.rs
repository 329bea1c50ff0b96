//! The layout of a trial's answer: text, CSV and Markdown.

use super::patch_view::PatchView;
use super::result::TrialView;
use whittle_findings::{RemedyPromise, TriedResult};
use whittle_render::labelled::{put, put_each, two_columns};
use whittle_render::markdown_text::{code, plain};
use whittle_render::{Cell, Head, Sheet, SheetRow, View, harmless};

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
            text(result_name(self.outcome.result)),
            text(&self.outcome.words),
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
        put(&mut rows, "Verdict:", &self.outcome.words);
        put_each(&mut rows, "Reasons:", &self.outcome.reasons());
        for (label, words) in [("Output:", &self.outcome.output), ("Files:", &self.outcome.files)] {
            words.iter().for_each(|words| put(&mut rows, label, words));
        }
        put_each(&mut rows, "Notes:", &self.outcome.notes);
        put_each(&mut rows, "Warnings:", &self.outcome.warnings());
        put_patch(&mut rows, self.patch.as_ref());
        put(&mut rows, "Program:", &self.command);
        vec![two_columns(Vec::new(), rows)].into_iter().chain(self.patch.as_ref().and_then(diff_sheet)).collect()
    }
}

/// What is in the patch.
pub(super) fn put_patch(rows: &mut Vec<SheetRow>, patch: Option<&PatchView>) {
    let Some(patch) = patch else { return };
    put(rows, "Patch:", &patch.words());
    patch.notes.iter().for_each(|note| put(rows, "", note));
}

/// The lines of the patch. Other programs can read them.
pub(super) fn diff_sheet(patch: &PatchView) -> Option<Sheet> {
    let line = |line: &str| line.split('\t').map(harmless).collect::<Vec<_>>().join("\t");
    let heading: Vec<String> = patch.diff().lines().map(line).collect();
    (!heading.is_empty()).then(|| Sheet { heading, ..Sheet::default() })
}

/// The patch as Markdown. The fence is longer than all fences in the sources.
pub(super) fn patch_markdown(patch: &PatchView) -> String {
    let items: String = patch.notes.iter().map(|note| format!("- Patch: {}\n", plain(note))).collect();
    let diff = patch.diff();
    if diff.is_empty() {
        return format!("- Patch: {}\n{items}", plain(&patch.words()));
    }
    let longest = diff.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("- Patch: {}\n{items}\n{fence}diff\n{diff}{fence}\n", plain(&patch.words()))
}

impl TrialView {
    /// What the agent changed, and what the promise of the remedy is: `1 class, 1 place, which ran 3 times per run; …`.
    fn changed_words(&self) -> String {
        let runs: f64 = self.outcome.runs_of_places.values().sum();
        let ran = if self.outcome.classes_count == 0 {
            "nothing".to_owned()
        } else {
            format!(
                "{}, {} per {}",
                counted(self.outcome.classes_count as f64, "class", "classes"),
                counted(runs, "execution", "executions"),
                if self.outcome.turns.is_some() { "turn" } else { "run" }
            )
        };
        let promise = match self.trial.promise {
            RemedyPromise::Kept => "the condition:",
            RemedyPromise::Bound => "other work: an indication of what a fix saves, no limit:",
        };
        format!("{ran}; {promise} {}", self.trial.condition)
    }

    /// The answer as Markdown. Names come from untrusted programs, so all their special characters are escaped.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("## Trial: {}\n\n", plain(&self.outcome.words));
        let mut add = |label: &str, words: &str| text += &format!("- {label}: {}\n", plain(words));
        add("Trying", &self.trial.words());
        add("Changed", &self.changed_words());
        self.outcome.reasons().iter().for_each(|reason| add("Reason", reason));
        self.outcome.output.iter().for_each(|words| add("Output", words));
        self.outcome.files.iter().for_each(|words| add("Files", words));
        self.outcome.notes.iter().for_each(|note| add("Note", note));
        self.outcome.warnings().iter().for_each(|warning| add("Warning", warning));
        text += &format!("- Program: {}\n", code(&self.command));
        text + &self.patch.as_ref().map(patch_markdown).unwrap_or_default()
    }
}

fn counted(number: f64, one: &str, several: &str) -> String {
    if number == 1.0 { format!("1 {one}") } else { format!("{number:.0} {several}") }
}

/// The result's name in CSV, the same as in JSON.
pub(super) fn result_name(result: TriedResult) -> &'static str {
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
