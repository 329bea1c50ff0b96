//! Where a verification's files go.
//!
//! ```text
//! DIR/verification.json, verification.md
//! DIR/runs/00-baseline-discarded/stdout, stderr
//! DIR/runs/03-candidate-profiled/stdout, stderr     DIR/runs/03-candidate-profiled.whittle
//! ```

use super::failure;
use super::plan::{Purpose, Step};
use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use whittle_analysis::Side;
use whittle_collect::OutputFiles;

const RUNS: &str = "runs";
const JSON: &str = "verification.json";
const MARKDOWN: &str = "verification.md";

/// The folder, named by the user or a temporary one.
pub(super) struct Folder {
    path: PathBuf,
    temporary: Option<TempDir>,
}

/// Files of one run.
pub(super) struct RunFiles {
    pub(super) output: OutputFiles,
    pub(super) experiment: PathBuf,
}

impl Folder {
    /// Makes it. A folder that holds something else, or one of the experiments `inputs`, is never touched.
    pub(super) fn new(named: Option<&Path>, replaces: bool, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let Some(path) = named else {
            let temporary = tempfile::Builder::new().prefix("whittle-verify-").tempdir()?;
            return Ok(Self { path: temporary.path().to_owned(), temporary: Some(temporary) });
        };
        let cannot = |error: std::io::Error| failure(format!("cannot write {}: {error}", path.display()));
        let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty && !is_ours(path) {
            return Err(failure(format!("{} holds something else; choose another folder", path.display())));
        }
        if let Some(input) = inputs.iter().find(|input| !is_empty && is_below(input, path)) {
            return Err(failure(format!(
                "{} is read and lies in {}, which would be replaced; choose another folder",
                input.display(),
                path.display()
            )));
        }
        if !is_empty && !replaces {
            let path = path.display();
            return Err(failure(format!(
                "{path} holds a verification already; choose another folder, or --force to replace it"
            )));
        }
        if !is_empty {
            fs::remove_dir_all(path).map_err(cannot)?;
        }
        fs::create_dir_all(path.join(RUNS)).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), temporary: None })
    }

    /// The user's folder. Missing: nothing is kept.
    pub(super) fn kept(&self) -> Option<&Path> {
        self.temporary.is_none().then_some(&*self.path)
    }

    /// Makes the place of a run; `number` counts from 0 over all runs.
    pub(super) fn run(&self, number: usize, step: &Step) -> Result<RunFiles, Failure> {
        let purpose = match step.purpose {
            Purpose::Discarded => "-discarded",
            Purpose::Timed => "",
            Purpose::Profiled => "-profiled",
        };
        let name = format!("{number:02}-{}{purpose}", step.side.name());
        let runs = self.path.join(RUNS);
        let place = runs.join(&name);
        fs::create_dir_all(&place).map_err(|error| failure(format!("cannot write {}: {error}", place.display())))?;
        let output = OutputFiles { stdout: place.join("stdout"), stderr: place.join("stderr") };
        Ok(RunFiles { output, experiment: runs.join(format!("{name}.whittle")) })
    }

    /// Writes the result, if it is kept.
    pub(super) fn write(&self, json: &str, markdown: &str) -> Result<(), Failure> {
        let Some(path) = self.kept() else { return Ok(()) };
        for (name, text) in [(JSON, json), (MARKDOWN, markdown)] {
            let file = path.join(name);
            fs::write(&file, text).map_err(|error| failure(format!("cannot write {}: {error}", file.display())))?;
        }
        Ok(())
    }
}

/// Whether a folder holds what we write, and nothing else: a result, or the runs of one that was interrupted.
fn is_ours(path: &Path) -> bool {
    let names = names(path);
    let has = |ours: &str| names.iter().any(|name| name == ours);
    let are_known = names.iter().all(|name| [RUNS, JSON, MARKDOWN].contains(&name.as_str()));
    are_known && (has(JSON) || has(RUNS)) && self::names(&path.join(RUNS)).iter().all(|name| is_run(name))
}

/// `03-candidate-profiled.whittle`, also with a dot before it while it is written.
fn is_run(name: &str) -> bool {
    let Some((number, rest)) = name.trim_start_matches('.').split_once('-') else { return false };
    let is_number = number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && Side::BOTH.iter().any(|side| rest.starts_with(side.name()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Whether an input lies in a folder, links followed.
fn is_below(input: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(input).zip(real(folder)).is_some_and(|(input, folder)| input.starts_with(folder))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn only_an_earlier_verification_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verified");
        Folder::new(Some(&path), false, &[]).unwrap().write("{}", "").unwrap();
        let error =
            |replaces| Folder::new(Some(&path), replaces, &[]).err().map(|error| error.message).unwrap_or_default();
        assert!(error(false).contains("--force"), "{}", error(false));
        assert_eq!(error(true), "");
        fs::write(path.join("thesis.tex"), "").unwrap();
        assert!(error(true).contains("holds something else"));
        assert!(path.join("thesis.tex").exists());
    }

    #[test]
    fn runs_of_others_and_inputs_are_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verified");
        let error = |inputs: &[PathBuf]| Folder::new(Some(&path), true, inputs).err().map(|error| error.message);
        let ours = path.join("runs/03-candidate-profiled.whittle");
        fs::create_dir_all(&ours).unwrap();
        assert!(error(std::slice::from_ref(&ours)).unwrap().contains("is read and lies in"));
        assert!(ours.exists() && is_ours(&path));
        fs::create_dir(path.join("runs/monday.whittle")).unwrap();
        assert!(error(&[]).unwrap().contains("holds something else"));
        fs::remove_dir_all(path.join("runs")).unwrap();
        fs::write(path.join("verification.md"), "").unwrap();
        assert!(!is_ours(&path), "notes of somebody");
    }
}
