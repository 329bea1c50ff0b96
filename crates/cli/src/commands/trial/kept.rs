//! Where the answer of a trial is kept: the experiment, and the files that the user names.

use super::arguments::TryArguments;
use super::patch_view::PatchView;
use super::result::TrialView;
use super::trying::Trying;
use crate::interleaved::{Folder, write_summary};
use crate::terminal::output;
use crate::tries;
use std::path::Path;
use whittle_findings::TriedTogether;
use whittle_render::{Format, Style, View, render};
use whittle_terminal::Failure;

/// The folder for an answer.
pub(super) fn folder(trying: &Trying<'_>, content: &'static str) -> Result<Folder, Failure> {
    let TryArguments { experiment, answer, .. } = trying.arguments;
    Folder::new(content, (answer.output.as_deref(), answer.force), std::slice::from_ref(experiment))
}

/// Writes the answer to the user's files, and prints it.
pub(super) fn finish(
    trying: &Trying<'_>,
    (folder, view): (&Folder, &impl View),
    (markdown, patch): (&str, Option<&PatchView>),
) -> Result<(), Failure> {
    let answer = &trying.arguments.answer;
    if let Some(patch) = patch.filter(|patch| !patch.files.is_empty()) {
        folder.write_patch(&patch.diff())?;
    }
    folder.write(&render(view, Format::Json, Style { is_coloured: false }), markdown)?;
    write_summary(answer.summary.as_deref(), markdown)?;
    answer.format.view_format().print(view)
}

/// Keeps a result in the experiment.
pub(super) fn keep(experiment: &Path, view: &TrialView) {
    note_if_lost(tries::keep(experiment, view.tried()));
}

/// Keeps the result of several findings together in the experiment.
pub(super) fn keep_together(experiment: &Path, together: Option<TriedTogether>) {
    note_if_lost(tries::keep_together(experiment, together));
}

fn note_if_lost(kept: Result<(), String>) {
    if let Err(reason) = kept {
        output::note(&format!("the experiment does not keep the result: {reason}"));
    }
}
