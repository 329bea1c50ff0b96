//! Kept artefacts: the files that a command line names, beside the experiment, so that the program can be run again later.
//!
//! ```text
//! app.whittle/artefact/
//!   artefact.json                      the command, its working directory, every file with its size and hash
//!   files/home/me/app/target/app.jar   files at their own absolute paths, so that what lies beside each other still does
//! ```
//!
//! What is not there: the JVM and whatever else lies in system folders, environment variables, and what the program
//! finds by itself (databases, configuration that no word names).

mod copy;
mod named_files;

use crate::Failure;
use copy::{Copied, copy_all};
use named_files::{Word, named_files};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder in an experiment.
pub(crate) const FOLDER: &str = "artefact";
const DESCRIPTION: &str = "artefact.json";
const FILES: &str = "files";
const VERSION: u32 = 1;

/// What `artefact.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Artefact {
    /// Changes of the meaning add 1.
    artefact_version: u32,
    /// The command line. A word is made of pieces.
    command: Vec<Vec<Piece>>,
    /// Where the program was started.
    pub(crate) working_directory: String,
    /// Every file.
    files: Vec<KeptFile>,
    /// What the command line may need and is not here, one sentence each.
    pub(crate) left_out: Vec<String>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
    /// As it was typed.
    Text(String),
    /// A file or folder of the copy, relative to it.
    Kept(String),
}

/// A file of the copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    /// Relative to the artefact's folder.
    path: String,
    bytes: u64,
    /// XXH3-128 of its content, 32 hexadecimal digits. It tells damage, not malice.
    hash: String,
    is_executable: bool,
}

/// A copy that is not in an experiment yet. Dropped, it is removed.
pub(crate) struct NewArtefact {
    folder: PathBuf,
    pub(crate) artefact: Artefact,
}

impl NewArtefact {
    /// Copies what `command` names to a place beside `experiment`: now, because a build can replace the files while
    /// the program runs.
    pub(crate) fn keep(command: &[OsString], experiment: &Path, limit_bytes: u64) -> Result<Self, Failure> {
        let working_directory = std::env::current_dir()?;
        let named = named_files(command, &working_directory).map_err(failure)?;
        let name = experiment.file_name().unwrap_or_default().to_string_lossy();
        let folder = experiment.with_file_name(format!(".{name}.artefact-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| failure(format!("cannot create {}: {error}", folder.display())))?;
        let artefact = Artefact {
            artefact_version: VERSION,
            command: named.words.iter().map(|word| pieces(word)).collect::<Result<_, _>>()?,
            working_directory: working_directory.to_string_lossy().into_owned(),
            files: Vec::new(),
            left_out: named.left_out,
        };
        // From here on the folder goes if something fails.
        let mut new = Self { folder, artefact };
        for copied in copy_all(&named.files, &new.folder.join(FILES), limit_bytes).map_err(failure)? {
            new.artefact.files.push(kept_file(&copied)?);
        }
        let text = serde_json::to_string_pretty(&new.artefact)? + "\n";
        fs::write(new.folder.join(DESCRIPTION), text)?;
        Ok(new)
    }

    /// Number of files and of bytes.
    pub(crate) fn size(&self) -> (usize, u64) {
        (self.artefact.files.len(), self.artefact.files.iter().map(|file| file.bytes).sum())
    }

    /// Moves the copy into the experiment, which is written.
    pub(crate) fn move_into(self, experiment: &Path) -> Result<(), Failure> {
        let place = experiment.join(FOLDER);
        fs::rename(&self.folder, &place).map_err(|error| failure(format!("cannot write {}: {error}", place.display())))
    }
}

impl Drop for NewArtefact {
    fn drop(&mut self) {
        // Where it was moved it is not found.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Artefact {
    /// Whether an experiment has one.
    pub(crate) fn is_in(experiment: &Path) -> bool {
        experiment.join(FOLDER).is_dir()
    }

    /// Reads the description in an experiment.
    pub(crate) fn read(experiment: &Path) -> Result<Self, Failure> {
        let path = experiment.join(FOLDER).join(DESCRIPTION);
        let damaged = |reason: String| failure(format!("{}: the kept artefact is damaged: {reason}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| damaged(error.to_string()))?;
        let artefact: Self = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if artefact.artefact_version > VERSION {
            return Err(damaged(format!(
                "it has version {}, this whittle reads up to {VERSION}; take a newer whittle",
                artefact.artefact_version
            )));
        }
        let mut paths = artefact.files.iter().map(|file| &file.path).chain(artefact.kept_paths());
        if let Some(path) = paths.find(|path| !is_inside(path)) {
            return Err(damaged(format!("the path {path:?} leads out of it")));
        }
        drop(paths);
        Ok(artefact)
    }

    /// Whether it holds any file: without, the command line would run whatever lies there now.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    fn kept_paths(&self) -> impl Iterator<Item = &String> {
        self.command.iter().flatten().filter_map(|piece| match piece {
            Piece::Kept(path) => Some(path),
            Piece::Text(_) => None,
        })
    }

    /// Lays the files out in `folder`, each one checked: a program may write to where it reads.
    pub(crate) fn lay_out(&self, experiment: &Path, folder: &Path) -> Result<(), Failure> {
        let kept = experiment.join(FOLDER);
        for file in &self.files {
            let (from, to) = (kept.join(&file.path), folder.join(&file.path));
            let copied = copy::copy_file(&from, &to);
            let damaged = |reason: &str| {
                failure(format!(
                    "{}: {reason}: the kept artefact is damaged and is not run; collect the baseline anew with --keep-artefact",
                    from.display()
                ))
            };
            let (bytes, hash) = copied.map_err(|error| damaged(&error.to_string()))?;
            if (bytes, &hash) != (file.bytes, &file.hash) {
                return Err(damaged("it is not what was kept"));
            }
        }
        // Folders without files are named, too.
        for path in self.kept_paths().map(|path| folder.join(path)).filter(|path| !path.exists()) {
            fs::create_dir_all(path)?;
        }
        Ok(())
    }

    /// The command line that runs the files laid out in `folder`.
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

/// Where an absolute path lies in the artefact.
fn kept_path(path: &Path) -> Result<String, Failure> {
    let inner = Path::new(FILES).join(path.strip_prefix("/").unwrap_or(path));
    let text = inner.to_str().map(str::to_owned);
    text.ok_or_else(|| failure(format!("{}: only names in UTF-8 can be kept", path.display())))
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

fn failure(message: String) -> Failure {
    Failure { message, exit_code: 1 }
}

#[cfg(test)]
mod tests;
