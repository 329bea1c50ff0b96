//! The folder with the files of a verification or a trial.
//!
//! ```text
//! DIR/verification.json, verification.md          or trial.json, trial.md          or trials.json, trials.md
//! DIR/runs/00-baseline-discarded/stdout, stderr
//! DIR/runs/03-candidate-profiled/stdout, stderr     DIR/runs/03-candidate-profiled.whittle
//! DIR/trials/1/trial.json, trial.md, runs            DIR/trials/together/…     (several trials)
//! ```

use super::plan::{Purpose, Step};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use whittle_collect::OutputFiles;
use whittle_experiment::{check_own_folder, create_private_file, create_private_folders};
use whittle_profile::Side;
use whittle_terminal::Failure;

const RUNS: &str = "runs";
/// The folder with the folders of several trials.
const TRIALS: &str = "trials";
/// The file with the patch of a trial.
const PATCH: &str = "patch.diff";
/// What the folder of one trial contains.
pub(crate) const TRIAL: &str = "trial";

/// The folder of a verification or a trial. It is named by the user, or temporary.
pub(crate) struct Folder {
    /// What the folder contains: the name of its result, without the ending.
    content: &'static str,
    path: PathBuf,
    /// Whether the user named the folder.
    is_kept: bool,
    /// Removes a temporary folder when the value is dropped.
    _temporary: Option<TempDir>,
}

/// Files of one run.
pub(crate) struct RunFiles {
    pub(crate) output: OutputFiles,
    pub(crate) experiment: PathBuf,
}

/// The permissions of a folder with a program's output: only its owner can read it.
pub(crate) fn only_owner() -> fs::Permissions {
    fs::Permissions::from_mode(0o700)
}

impl Folder {
    /// Makes the folder. A folder that contains other files or one of the `inputs` is never changed.
    pub(crate) fn new(
        content: &'static str,
        (named, replaces): (Option<&Path>, bool),
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        let Some(path) = named else {
            let temporary = tempfile::Builder::new().prefix("whittle-runs-").permissions(only_owner()).tempdir()?;
            let path = temporary.path().to_owned();
            return Ok(Self { content, path, is_kept: false, _temporary: Some(temporary) });
        };
        let cannot = |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
        let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty && !is_ours(path, content) {
            return Err(Failure::new(format!("{} contains other files; choose another folder", path.display())));
        }
        if let Some(input) = inputs.iter().find(|input| !is_empty && is_below(input, path)) {
            return Err(Failure::new(format!(
                "{} is an input and is in {}, which would be replaced; choose another folder",
                input.display(),
                path.display()
            )));
        }
        if !is_empty && !replaces {
            let path = path.display();
            return Err(Failure::new(format!(
                "{path} already contains a {content}; choose another folder, or add --force to replace it"
            )));
        }
        if path.exists() {
            check_own_folder(path).map_err(cannot)?;
        }
        if !is_empty {
            fs::remove_dir_all(path).map_err(cannot)?;
        }
        create_private_folders(&path.join(RUNS)).map_err(cannot)?;
        Ok(Self { content, path: path.to_owned(), is_kept: true, _temporary: None })
    }

    /// Makes the folder of one of several trials.
    pub(crate) fn trial(&self, name: &str) -> Result<Self, Failure> {
        let path = self.path.join(TRIALS).join(name);
        create_private_folders(&path.join(RUNS))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        Ok(Self { content: TRIAL, path, is_kept: self.is_kept, _temporary: None })
    }

    /// The user's folder. Missing: no file is kept.
    pub(crate) fn kept(&self) -> Option<&Path> {
        self.is_kept.then_some(&*self.path)
    }

    /// Makes the folder of a run. `number` counts from 0 over all runs.
    pub(crate) fn run(&self, number: usize, step: &Step) -> Result<RunFiles, Failure> {
        let purpose = match step.purpose {
            Purpose::Discarded => "-discarded",
            Purpose::Timed => "",
            Purpose::Profiled => "-profiled",
        };
        let name = format!("{number:02}-{}{purpose}", step.side.name());
        let runs = self.path.join(RUNS);
        let place = runs.join(&name);
        create_private_folders(&place)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", place.display())))?;
        let output = OutputFiles { stdout: place.join("stdout"), stderr: place.join("stderr") };
        Ok(RunFiles { output, experiment: runs.join(format!("{name}.whittle")) })
    }

    /// Writes the patch of a trial into the user's folder, if there is one.
    pub(crate) fn write_patch(&self, diff: &str) -> Result<(), Failure> {
        self.kept().map_or(Ok(()), |path| write(&path.join(PATCH), diff))
    }

    /// Writes the result into the user's folder, if there is one.
    pub(crate) fn write(&self, json: &str, markdown: &str) -> Result<(), Failure> {
        let Some(path) = self.kept() else { return Ok(()) };
        for (ending, text) in [("json", json), ("md", markdown)] {
            write(&path.join(format!("{}.{ending}", self.content)), text)?;
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    create_private_file(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

/// Whether a folder has only files that whittle writes: a result, or the runs of an interrupted command.
fn is_ours(path: &Path, content: &str) -> bool {
    let names = names(path);
    let [json, markdown] = ["json", "md"].map(|ending| format!("{content}.{ending}"));
    let has = |ours: &str| names.iter().any(|name| name == ours);
    let are_known = names.iter().all(|name| [RUNS, TRIALS, PATCH, &json, &markdown].contains(&name.as_str()));
    let is_trial = |name: &String| is_ours(&path.join(TRIALS).join(name), TRIAL);
    are_known
        && (has(&json) || has(RUNS))
        && self::names(&path.join(RUNS)).iter().all(|name| is_run(name))
        && self::names(&path.join(TRIALS)).iter().all(is_trial)
}

/// `03-candidate-profiled.whittle`, with a dot before the name while it is written.
fn is_run(name: &str) -> bool {
    let Some((number, rest)) = name.trim_start_matches('.').split_once('-') else { return false };
    let is_number = number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && Side::BOTH.iter().any(|side| rest.starts_with(side.name()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Whether an input is in a folder. Links are followed.
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
        Folder::new("verification", (Some(&path), false), &[]).unwrap().write("{}", "").unwrap();
        let error = |replaces| {
            Folder::new("verification", (Some(&path), replaces), &[])
                .err()
                .map(|error| error.message)
                .unwrap_or_default()
        };
        assert!(error(false).contains("--force"), "{}", error(false));
        assert_eq!(error(true), "");
        fs::write(path.join("thesis.tex"), "").unwrap();
        assert!(error(true).contains("contains other files"));
        assert!(path.join("thesis.tex").exists());
    }

    #[test]
    fn trials_in_the_folder_are_replaced_but_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tried");
        let folder = |replaces| Folder::new("trials", (Some(&path), replaces), &[]);
        folder(false).unwrap().trial("1").unwrap().write("{}", "").unwrap();
        assert!(path.join("trials/1/trial.json").is_file());
        folder(true).unwrap().trial("together").unwrap().write("{}", "").unwrap();
        assert!(!path.join("trials/1").exists(), "the earlier trials are replaced");
        fs::create_dir(path.join("trials/mine")).unwrap();
        assert!(folder(true).err().unwrap().message.contains("contains other files"));
    }

    /// The other user could replace the folders of the runs by links.
    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = Folder::new("verification", (Some(folder.path()), false), &[]).err().unwrap().message;
        assert!(error.contains("other users can write to it"), "{error}");
    }

    #[test]
    fn runs_of_others_and_inputs_are_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verified");
        let error = |inputs: &[PathBuf]| {
            Folder::new("verification", (Some(&path), true), inputs).err().map(|error| error.message)
        };
        let ours = path.join("runs/03-candidate-profiled.whittle");
        fs::create_dir_all(&ours).unwrap();
        assert!(error(std::slice::from_ref(&ours)).unwrap().contains("is an input and is in"));
        assert!(ours.exists() && is_ours(&path, "verification"));
        fs::create_dir(path.join("runs/monday.whittle")).unwrap();
        assert!(error(&[]).unwrap().contains("contains other files"));
        fs::remove_dir_all(path.join("runs")).unwrap();
        fs::write(path.join("verification.md"), "").unwrap();
        assert!(!is_ours(&path, "verification"), "notes of a user");
    }
}
