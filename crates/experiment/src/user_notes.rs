//! Texts that users attach to an experiment, to one of its functions or to a time range: the file `notes.json`.
//!
//! ```json
//! {"notes_version": 1, "notes": [
//!   {"id": 1, "function": "app.Log.flush()", "text": "called once per line, see ticket 12"},
//!   {"id": 2, "from_ns": 1000000000, "to_ns": 2000000000, "text": "the nightly job"}]}
//! ```
//!
//! The file is not part of the format: the tables do not change, and an experiment without the file is whole. Fields that
//! this version does not know are kept. Texts are never interpreted.

use crate::create_private_file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file with the notes.
pub(crate) const NOTES_FILE: &str = "notes.json";
/// The version of the file that this program writes. A file with a larger version is neither read nor written.
const NOTES_VERSION: u32 = 1;
/// Largest size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Largest number of notes in an experiment.
const MAX_NOTES: usize = 1_000;
/// Longest text of a note, in characters.
const MAX_TEXT_CHARS: usize = 2_000;
/// Longest name of a function, in characters. Names of C++ functions can have thousands.
const MAX_FUNCTION_CHARS: usize = 20_000;

/// The notes of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserNotes {
    /// The version of the file.
    notes_version: u32,
    /// The notes, in the order in which they were added.
    pub notes: Vec<UserNote>,
    /// Fields of other programs.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A note. Without a function and a time range, it is about the whole experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserNote {
    /// Identity of the note in its experiment, from 1. Not used again while a later note exists.
    pub id: u64,
    /// What the note is about.
    #[serde(flatten)]
    pub place: NotePlace,
    /// The text.
    pub text: String,
    /// Fields of other programs.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// What a note is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotePlace {
    /// The function as displayed. Missing: no function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Start of the time range, in nanoseconds since the experiment's start. Missing: no time range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ns: Option<u64>,
    /// End of the time range, at least `from_ns`. Missing: no time range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ns: Option<u64>,
}

/// A change of the notes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum NoteChange {
    /// Adds a note at the end.
    Add {
        /// What the note is about.
        #[serde(flatten)]
        place: NotePlace,
        /// The text.
        text: String,
    },
    /// Replaces the text of a note.
    Edit {
        /// The note.
        id: u64,
        /// The new text.
        text: String,
    },
    /// Removes a note.
    Delete {
        /// The note.
        id: u64,
    },
}

/// Why notes could not be read or changed.
#[derive(Debug, Error)]
pub enum NotesError {
    /// The change is not possible. The text says why and what is allowed.
    #[error("{0}")]
    Refused(String),
    /// No note has this number.
    #[error("no note has the number {0}; another user may have deleted it")]
    Unknown(u64),
    /// The file contains something else.
    #[error("{} is damaged, or a newer whittle wrote it", .0.display())]
    Unreadable(PathBuf),
    /// The system refuses to read or write the file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Default for UserNotes {
    fn default() -> Self {
        Self { notes_version: NOTES_VERSION, notes: Vec::new(), others: Map::new() }
    }
}

impl UserNotes {
    /// Reads the text of a file. `None`: the text is something else, or of a newer version.
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|notes: &Self| notes.notes_version <= NOTES_VERSION)
    }

    /// Applies a change.
    ///
    /// # Errors
    /// The note does not exist, or it is larger than the limits.
    fn apply(&mut self, change: NoteChange) -> Result<(), NotesError> {
        match change {
            NoteChange::Add { place, text } => {
                check_place(&place)?;
                let text = checked_text(&text)?;
                if self.notes.len() >= MAX_NOTES {
                    return Err(refused(format!(
                        "an experiment can have {MAX_NOTES} notes; delete some of them first"
                    )));
                }
                let id = self.notes.iter().map(|note| note.id).max().unwrap_or(0).saturating_add(1);
                self.notes.push(UserNote { id, place, text, others: Map::new() });
            }
            NoteChange::Edit { id, text } => {
                let text = checked_text(&text)?;
                self.notes.iter_mut().find(|note| note.id == id).ok_or(NotesError::Unknown(id))?.text = text;
            }
            NoteChange::Delete { id } => {
                let position = self.notes.iter().position(|note| note.id == id).ok_or(NotesError::Unknown(id))?;
                self.notes.remove(position);
            }
        }
        Ok(())
    }
}

/// The notes of the experiment in `directory`. An experiment without the file has no notes.
///
/// # Errors
/// The file is damaged, or cannot be read.
pub fn read_notes(directory: &Path) -> Result<UserNotes, NotesError> {
    let path = directory.join(NOTES_FILE);
    let is_file = match path.symlink_metadata() {
        Ok(metadata) => metadata.is_file() && metadata.len() <= MAX_FILE_BYTES,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(UserNotes::default()),
        Err(source) => return Err(NotesError::Io { action: "read", path, source }),
    };
    if !is_file {
        return Err(NotesError::Unreadable(path));
    }
    let mut text = String::new();
    let read = fs::File::open(&path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text));
    match read {
        Ok(_) => UserNotes::parse(&text).ok_or(NotesError::Unreadable(path)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(NotesError::Unreadable(path)),
        Err(source) => Err(NotesError::Io { action: "read", path, source }),
    }
}

/// Changes the notes of the experiment in `directory`, and returns the new notes. A reader sees the old file or the new
/// file, and never a part. If two programs change the notes at the same moment, the later change wins.
///
/// # Errors
/// The change is not possible, the file is damaged, or it cannot be written, for example because the experiment is
/// read-only.
pub fn change_notes(directory: &Path, change: NoteChange) -> Result<UserNotes, NotesError> {
    let mut notes = read_notes(directory)?;
    notes.apply(change)?;
    let text = serde_json::to_string_pretty(&notes).map_err(|error| refused(error.to_string()))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(refused(format!("all notes together can have {MAX_FILE_BYTES} bytes; delete some of them first")));
    }
    write_whole(directory, &text)?;
    Ok(notes)
}

fn write_whole(directory: &Path, text: &str) -> Result<(), NotesError> {
    let path = directory.join(NOTES_FILE);
    let temporary = directory.join(format!("{NOTES_FILE}.{}.tmp", std::process::id()));
    let written = create_private_file(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|source| {
        // The temporary file may not exist.
        let _ = fs::remove_file(&temporary);
        NotesError::Io { action: "write", path, source }
    })
}

fn check_place(place: &NotePlace) -> Result<(), NotesError> {
    let is_range = match (place.from_ns, place.to_ns) {
        (None, None) => true,
        (Some(from_ns), Some(to_ns)) => from_ns <= to_ns,
        _ => false,
    };
    if !is_range {
        return Err(refused("a time range needs a start and an end that is not before the start".to_owned()));
    }
    let length = place.function.as_ref().map_or(1, |function| function.chars().count());
    if length == 0 || length > MAX_FUNCTION_CHARS {
        return Err(refused(format!("the name of a function has 1 to {MAX_FUNCTION_CHARS} characters")));
    }
    Ok(())
}

/// The text without spaces around it.
fn checked_text(text: &str) -> Result<String, NotesError> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 || length > MAX_TEXT_CHARS {
        return Err(refused(format!("a note has 1 to {MAX_TEXT_CHARS} characters, and this text has {length}")));
    }
    Ok(text.to_owned())
}

fn refused(why: String) -> NotesError {
    NotesError::Refused(why)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    fn add(function: Option<&str>, text: &str) -> NoteChange {
        let place = NotePlace { function: function.map(str::to_owned), ..NotePlace::default() };
        NoteChange::Add { place, text: text.to_owned() }
    }

    fn texts(notes: &UserNotes) -> Vec<(u64, &str)> {
        notes.notes.iter().map(|note| (note.id, note.text.as_str())).collect()
    }

    #[test]
    fn notes_are_added_changed_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_notes(folder.path()).unwrap(), UserNotes::default());
        change_notes(folder.path(), add(Some("a.B.c()"), " slow \n")).unwrap();
        change_notes(folder.path(), add(None, "<b>two</b>")).unwrap();
        change_notes(folder.path(), NoteChange::Edit { id: 1, text: "fast".to_owned() }).unwrap();
        let notes = read_notes(folder.path()).unwrap();
        assert_eq!(texts(&notes), [(1, "fast"), (2, "<b>two</b>")]);
        assert_eq!(notes.notes[0].place.function.as_deref(), Some("a.B.c()"));
        let left = change_notes(folder.path(), NoteChange::Delete { id: 1 }).unwrap();
        assert_eq!(texts(&left), [(2, "<b>two</b>")]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn fields_of_other_programs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NOTES_FILE);
        let text =
            r#"{"notes_version":1,"colour":"red","notes":[{"id":7,"from_ns":1,"to_ns":2,"text":"x","author":"ada"}]}"#;
        fs::write(&path, text).unwrap();
        change_notes(folder.path(), NoteChange::Edit { id: 7, text: "y".to_owned() }).unwrap();
        let kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let expected: Value = serde_json::from_str(&text.replace("\"x\"", "\"y\"")).unwrap();
        assert_eq!(kept, expected);
        change_notes(folder.path(), add(None, "next")).unwrap();
        assert_eq!(texts(&read_notes(folder.path()).unwrap()), [(7, "y"), (8, "next")]);
    }

    #[test]
    fn texts_and_places_have_limits() {
        let mut notes = UserNotes::default();
        let range = |from_ns, to_ns| NoteChange::Add {
            place: NotePlace { function: None, from_ns, to_ns },
            text: "x".to_owned(),
        };
        let refusals = [
            add(None, " \n"),
            add(None, &"é".repeat(MAX_TEXT_CHARS + 1)),
            add(Some(""), "x"),
            range(Some(1), None),
            range(Some(2), Some(1)),
        ];
        for change in refusals {
            assert!(matches!(notes.apply(change.clone()), Err(NotesError::Refused(_))), "{change:?}");
        }
        notes.apply(add(None, &"é".repeat(MAX_TEXT_CHARS))).unwrap();
        notes.apply(range(Some(1), Some(1))).unwrap();
        for _ in 2..MAX_NOTES {
            notes.apply(add(None, "x")).unwrap();
        }
        assert!(notes.apply(add(None, "x")).unwrap_err().to_string().contains("1000 notes"));
        assert!(matches!(notes.apply(NoteChange::Delete { id: 5000 }), Err(NotesError::Unknown(5000))));
    }

    #[test]
    fn a_damaged_or_newer_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NOTES_FILE);
        for text in ["{", r#"{"notes_version":2,"notes":[]}"#, "[]"] {
            fs::write(&path, text).unwrap();
            assert!(change_notes(folder.path(), add(None, "x")).unwrap_err().to_string().contains("is damaged"));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let error = change_notes(&folder.path().join("missing"), add(None, "x")).unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
    }
}
