//! The patch of a trial: what its remedies are in the source, compiled with the program's class path.
//!
//! ```text
//! kept remedies ── class, line ──> sources ── trees of the JDK's compiler ──> changed sources ── compiled? ──> unified diff
//! ```

mod class_path;
mod jdk;
mod patcher;
mod places;

use super::patch_view::{PatchView, PatchedFile};
use super::result::Outcome;
use super::trying::Trying;
use crate::code_source::FileCode;
use crate::terminal::output;
use patcher::{Answer, Request};
use places::{FoundPlaces, find};
use std::path::{Path, PathBuf};
use whittle_findings::{Trial, TriedResult};

/// The patch of these trials if the user wants one. `outcome` is the result of the trials.
pub(super) fn patch(trying: &Trying<'_>, trials: &[Trial], outcome: &Outcome) -> Option<PatchView> {
    if !trying.arguments.patch {
        return None;
    }
    if !trying.arguments.answer.quiet {
        output::note("compiling the patch …");
    }
    let mut patch =
        unless_wrong(outcome).and_then(|()| made(trying, (trials, outcome))).unwrap_or_else(PatchView::without);
    if trying.arguments.write && !patch.files.is_empty() {
        match written(trying, &patch, outcome) {
            Ok(()) => patch.is_written = true,
            Err(reason) => patch.notes.push(format!("no file was changed: {reason}")),
        }
    }
    Some(patch)
}

/// A remedy that changes the results or makes the program slower has no patch.
fn unless_wrong(outcome: &Outcome) -> Result<(), String> {
    match outcome.result {
        TriedResult::Improved | TriedResult::Changed | TriedResult::NoRelevantChange | TriedResult::Inconclusive => {
            Ok(())
        }
        TriedResult::Worse => Err("the program is slower with the remedy".to_owned()),
        TriedResult::DifferentResults | TriedResult::NotExercised | TriedResult::NotTried => {
            Err("the trial has no verdict".to_owned())
        }
    }
}

/// Changes and compiles copies of the sources.
fn made(trying: &Trying<'_>, tried: (&[Trial], &Outcome)) -> Result<PatchView, String> {
    let code = FileCode::new(&trying.arguments.sources.source_path, trying.profile.manifest());
    let archive = &trying.profile.tables().archive;
    let FoundPlaces { sources, mut notes } = find(tried, archive, &code);
    if sources.is_empty() {
        return Err(notes.join("; "));
    }
    let class_path = class_path::of(trying.command, archive);
    let request = Request { jdk: jdk::find(trying.command)?, sources: &sources, class_path };
    let Answer { texts, refused } = request.answer().map_err(|error| error.to_string())??;
    notes.extend(refused.iter().map(|(place, reason)| format!("{place} is not in the patch: {reason}")));
    let both = sources.iter().zip(texts);
    let files = both.map(|(source, new)| PatchedFile::new(&source.path, (&source.text, new)));
    let files: Vec<PatchedFile> = files.filter(|file| file.old != file.new).collect();
    if files.is_empty() {
        return Err(notes.join("; "));
    }
    Ok(PatchView { files, notes, ..PatchView::default() })
}

/// Changes the files.
fn written(trying: &Trying<'_>, patch: &PatchView, outcome: &Outcome) -> Result<(), String> {
    if outcome.result != TriedResult::Improved {
        return Err("--write needs the verdict improved".to_owned());
    }
    // The paths of other sources come from the experiment, which can be from somebody else.
    let source_path = trying.arguments.sources.source_path.iter().cloned();
    let folders: Vec<PathBuf> = source_path.chain(std::env::current_dir().ok()).collect();
    if let Some(file) = patch.files.iter().find(|file| !is_below(Path::new(&file.path), &folders)) {
        return Err(format!("{} is not below the working folder or --source-path", file.path));
    }
    // All files are checked before the first one is changed.
    for file in &patch.files {
        let read = std::fs::read(&file.path).map_err(|error| format!("{} cannot be changed: {error}", file.path))?;
        if read != file.old.as_bytes() {
            return Err(format!("{} has changed, or is not UTF-8", file.path));
        }
    }
    for file in &patch.files {
        std::fs::write(&file.path, &file.new).map_err(|error| format!("{} cannot be written: {error}", file.path))?;
    }
    Ok(())
}

/// Whether a file is below one of the folders. Links are followed.
fn is_below(file: &Path, folders: &[PathBuf]) -> bool {
    let Ok(file) = file.canonicalize() else { return false };
    folders.iter().filter_map(|folder| folder.canonicalize().ok()).any(|folder| file.starts_with(folder))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn only_files_below_a_folder_of_the_user_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let [mine, other] = ["mine", "other"].map(|name| folder.path().join(name));
        for project in [&mine, &other] {
            std::fs::create_dir(project).unwrap();
            std::fs::write(project.join("A.java"), "").unwrap();
        }
        std::os::unix::fs::symlink(other.join("A.java"), mine.join("B.java")).unwrap();
        let is_mine = |file: &Path| is_below(file, std::slice::from_ref(&mine));
        assert!(is_mine(&mine.join("A.java")) && !is_mine(&mine.join("B.java")));
        assert!(!is_mine(&other.join("A.java")) && !is_mine(&mine.join("missing.java")));
    }
}
