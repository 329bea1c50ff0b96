//! Kept artefacts: copies of the files that a command line names. An experiment keeps them, so that the program can run
//! again later.
//!
//! ```text
//! app.whittle/artefact/
//!   artefact.json                      the command, its working directory, every file with its size and hash
//!   files/home/me/app/target/app.jar   files at their absolute paths, so that relative paths between them still work
//! ```
//!
//! An artefact does not contain the JVM, files in system folders and environment variables. Files that the command line
//! does not name are also missing, such as databases and some configuration files.

mod copy;
mod named_files;

use copy::{Copied, copy_all};
use named_files::{Word, named_files};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Component, Path};
use tempfile::TempDir;
use whittle_experiment::{create_private_file, create_private_folders};
use whittle_terminal::Failure;

/// The artefact's folder in an experiment.
pub(crate) const FOLDER: &str = "artefact";
const DESCRIPTION: &str = "artefact.json";
const FILES: &str = "files";
const VERSION: u32 = 1;

/// The content of `artefact.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Artefact {
    /// The number increases when the meaning of the file changes.
    artefact_version: u32,
    /// The command line. A word is a list of pieces.
    command: Vec<Vec<Piece>>,
    /// The working directory of the program.
    pub(crate) working_directory: String,
    /// All files of the artefact.
    files: Vec<KeptFile>,
    /// One sentence for each file that the program may need and that is not in the artefact.
    pub(crate) left_out: Vec<String>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
    /// Text, as typed.
    Text(String),
    /// The path of a file or folder in the artefact, relative to the artefact's folder.
    Kept(String),
}

/// A copied file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    /// The path of the file, relative to the artefact's folder.
    path: String,
    bytes: u64,
    /// XXH3-128 of the file's content, 32 hexadecimal digits. The hash detects damage, but not attacks.
    hash: String,
    is_executable: bool,
}

/// An artefact that is not in an experiment yet. Its folder is removed when the value is dropped.
pub(crate) struct NewArtefact {
    /// A new folder next to the experiment. Nobody else knows its name or can write to it.
    folder: TempDir,
    pub(crate) artefact: Artefact,
}

impl NewArtefact {
    /// Copies the files that `command` names to a folder next to `experiment`. The files are copied before the program
    /// starts, because a build can replace them while the program runs.
    pub(crate) fn keep(command: &[OsString], experiment: &Path, limit_bytes: u64) -> Result<Self, Failure> {
        let working_directory = std::env::current_dir()?;
        let named = named_files(command, &working_directory).map_err(Failure::new)?;
        let name = experiment.file_name().unwrap_or_default().to_string_lossy();
        let parent = experiment.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let prefix = format!(".{name}.artefact-");
        let folder = create_private_folders(parent)
            .and_then(|()| tempfile::Builder::new().prefix(&prefix).tempdir_in(parent))
            .map_err(|error| Failure::new(format!("cannot create a folder in {}: {error}", parent.display())))?;
        let artefact = Artefact {
            artefact_version: VERSION,
            command: named.words.iter().map(|word| pieces(word)).collect::<Result<_, _>>()?,
            working_directory: working_directory.to_string_lossy().into_owned(),
            files: Vec::new(),
            left_out: named.left_out,
        };
        let mut new = Self { folder, artefact };
        for copied in copy_all(&named.files, &new.folder.path().join(FILES), limit_bytes).map_err(Failure::new)? {
            new.artefact.files.push(kept_file(&copied)?);
        }
        let text = serde_json::to_string_pretty(&new.artefact)? + "\n";
        create_private_file(&new.folder.path().join(DESCRIPTION))?.write_all(text.as_bytes())?;
        Ok(new)
    }

    /// The number of files, and their total size in bytes.
    pub(crate) fn size(&self) -> (usize, u64) {
        (self.artefact.files.len(), self.artefact.files.iter().map(|file| file.bytes).sum())
    }

    /// Moves the copy into the finished experiment.
    pub(crate) fn move_into(self, experiment: &Path) -> Result<(), Failure> {
        let place = experiment.join(FOLDER);
        // After this, the temporary folder does not exist.
        fs::rename(self.folder.path(), &place)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", place.display())))
    }
}

impl Artefact {
    /// Whether an experiment contains an artefact.
    pub(crate) fn is_in(experiment: &Path) -> bool {
        experiment.join(FOLDER).is_dir()
    }

    /// Reads an experiment's `artefact.json`.
    pub(crate) fn read(experiment: &Path) -> Result<Self, Failure> {
        let path = experiment.join(FOLDER).join(DESCRIPTION);
        let damaged =
            |reason: String| Failure::new(format!("{}: the kept artefact is damaged: {reason}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| damaged(error.to_string()))?;
        let artefact: Self = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if artefact.artefact_version > VERSION {
            return Err(damaged(format!(
                "the artefact has version {}, but this whittle reads versions up to {VERSION}; use a newer whittle",
                artefact.artefact_version
            )));
        }
        let mut paths = artefact.files.iter().map(|file| &file.path).chain(artefact.kept_paths());
        if let Some(path) = paths.find(|path| !is_inside(path)) {
            return Err(damaged(format!("the path {path:?} points outside of the artefact")));
        }
        drop(paths);
        Ok(artefact)
    }

    /// Whether the artefact has any file. Without files, the command line would run the current files on disk.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    fn kept_paths(&self) -> impl Iterator<Item = &String> {
        self.command.iter().flatten().filter_map(|piece| match piece {
            Piece::Kept(path) => Some(path),
            Piece::Text(_) => None,
        })
    }

    /// Copies the files to `folder` and checks each one. The program runs on copies, because it can write to its files.
    pub(crate) fn lay_out(&self, experiment: &Path, folder: &Path) -> Result<(), Failure> {
        let kept = experiment.join(FOLDER);
        for file in &self.files {
            let (from, to) = (kept.join(&file.path), folder.join(&file.path));
            let copied = copy::copy_file(&from, &to);
            let damaged = |reason: &str| {
                Failure::new(format!(
                    "{}: {reason}: the kept artefact is damaged and is not run; collect the baseline again with --keep-artefact",
                    from.display()
                ))
            };
            let (bytes, hash) = copied.map_err(|error| damaged(&error.to_string()))?;
            if (bytes, &hash) != (file.bytes, &file.hash) {
                return Err(damaged("the file has changed since it was kept"));
            }
        }
        // The command line can also name empty folders, which must exist.
        for path in self.kept_paths().map(|path| folder.join(path)).filter(|path| !path.exists()) {
            fs::create_dir_all(path)?;
        }
        Ok(())
    }

    /// The command line that runs the copied files in `folder`.
    pub(crate) fn command(&self, folder: &Path) -> Vec<OsString> {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => OsString::from(text),
            Piece::Kept(path) => folder.join(path).into_os_string(),
        };
        let word = |pieces: &Vec<Piece>| pieces.iter().map(text).collect::<OsString>();
        self.command.iter().map(word).collect()
    }
}

fn pieces(word: &[Word]) -> Result<Vec<Piece>, Failure> {
    let piece = |part: &Word| match part {
        Word::Text(text) => Ok(Piece::Text(text.clone())),
        Word::Path(path) => kept_path(path).map(Piece::Kept),
    };
    word.iter().map(piece).collect()
}

/// Converts an absolute path to a path in the artefact.
fn kept_path(path: &Path) -> Result<String, Failure> {
    let inner = Path::new(FILES).join(path.strip_prefix("/").unwrap_or(path));
    let text = inner.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::new(format!("{}: only names in UTF-8 can be kept", path.display())))
}

fn kept_file(copied: &Copied) -> Result<KeptFile, Failure> {
    Ok(KeptFile {
        path: kept_path(&copied.original)?,
        bytes: copied.bytes,
        hash: copied.hash.clone(),
        is_executable: copied.is_executable,
    })
}

fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
