//! The patch of a trial as an answer.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use std::path::Path;

/// The patch of a trial.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct PatchView {
    /// The changed files.
    pub(super) files: Vec<PatchedFile>,
    /// Why there is no patch. `None`: there is one.
    pub(super) reason: Option<String>,
    /// What a reader of the patch must know.
    pub(super) notes: Vec<String>,
    /// Whether the files were changed.
    pub(super) is_written: bool,
}

/// A changed file of a patch.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PatchedFile {
    /// The path of the file.
    pub(super) path: String,
    /// The change as a unified diff.
    pub(super) diff: String,
    /// Number of new lines.
    pub(super) added_count: usize,
    /// Number of lines that are gone.
    pub(super) removed_count: usize,
    #[serde(skip)]
    pub(super) old: String,
    #[serde(skip)]
    pub(super) new: String,
}

impl PatchedFile {
    pub(super) fn new(path: &str, (old, new): (&str, String)) -> Self {
        let shown = shown_path(path);
        let diff = TextDiff::from_lines(old, &new);
        let count = |tag: ChangeTag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        let (added_count, removed_count) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let text = diff.unified_diff().header(&format!("a/{shown}"), &format!("b/{shown}")).to_string();
        Self { path: path.to_owned(), diff: text, added_count, removed_count, old: old.to_owned(), new }
    }
}

/// The path below the working folder, if the file is there, so that `git apply` and `patch -p1` find it.
fn shown_path(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Some(Path::new(path).strip_prefix(here).ok()?.to_owned()));
    let below = below.unwrap_or_else(|| Path::new(path).to_owned());
    let below = below.strip_prefix(".").unwrap_or(&below);
    below.strip_prefix("/").unwrap_or(below).display().to_string()
}

impl PatchView {
    pub(super) fn without(reason: String) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }

    /// The patch in words: `1 file, 2 lines added, 1 removed; compiled with the class path of the program`.
    pub(super) fn words(&self) -> String {
        if let Some(reason) = &self.reason {
            return format!("none: {reason}");
        }
        let sum = |count: fn(&PatchedFile) -> usize| self.files.iter().map(count).sum::<usize>();
        let [added, removed] = [sum(|file| file.added_count), sum(|file| file.removed_count)];
        let files = match self.files.as_slice() {
            [file] => shown_path(&file.path),
            files => format!("{} files", files.len()),
        };
        let state = match self.is_written {
            true => "written",
            false => "no file was changed",
        };
        format!("{files}, +{added} −{removed} lines; compiles with the class path of the program; {state}")
    }

    /// The unified diff of all files.
    pub(super) fn diff(&self) -> String {
        self.files.iter().map(|file| file.diff.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_a_unified_diff() {
        let file = PatchedFile::new("src/A.java", ("a\nb\nc\n", "a\nB\nc\n".to_owned()));
        assert_eq!(file.diff, "--- a/src/A.java\n+++ b/src/A.java\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        let patch = PatchView { files: vec![file], ..PatchView::default() };
        assert!(patch.words().starts_with("src/A.java, +1 −1 lines; compiles"), "{}", patch.words());
        assert_eq!(PatchView::without("no source".to_owned()).words(), "none: no source");
    }

    #[test]
    fn paths_outside_are_named_from_the_root() {
        assert_eq!(shown_path("./src/A.java"), "src/A.java");
        assert_eq!(shown_path("/elsewhere/A.java"), "elsewhere/A.java");
    }
}
