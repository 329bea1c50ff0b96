//! Reads an experiment. Reads only the readable parts of a corrupt experiment.

use crate::budget::{Budget, MAX_EXPERIMENT_BYTES, OverBudget};
use crate::damage::Damage;
use crate::parquet_file::read_table;
use crate::salvage::salvage;
use crate::upgrade::upgrade_manifest;
use crate::user_notes::NOTES_FILE;
use crate::{Error, MANIFEST_FILE, MAX_MANIFEST_BYTES, part_file, whole_file};
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use whittle_model::{FORMAT_VERSION, LossReason, Manifest, State, Table, Tables};

/// An experiment in memory.
#[derive(Debug)]
pub struct Experiment {
    /// The part of the experiment that is not in tables.
    pub manifest: Manifest,
    /// The tables. All tables follow the documented rules.
    pub tables: Tables,
    /// The unreadable parts. Empty for a complete experiment.
    pub damage: Vec<Damage>,
}

/// The folder of a kept artefact, and a file that this folder must contain. Other folders can have the same name.
const ARTEFACT: (&str, &str) = ("artefact", "artefact.json");

/// The file with the results of trials. It is not part of the format: an experiment without this file is whole.
pub const TRIES_FILE: &str = "tries.json";

/// True if `path` is a directory that contains a manifest of whittle and only files of an experiment. Other programs
/// also have files named `manifest.json`.
pub fn is_experiment(path: &Path) -> bool {
    let Ok(text) = read_text(&path.join(MANIFEST_FILE)) else { return false };
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let is_ours = |name: &str| {
        let is_artefact = name == ARTEFACT.0 && path.join(name).join(ARTEFACT.1).is_file();
        name == MANIFEST_FILE
            || name == TRIES_FILE
            || name == NOTES_FILE
            || name.ends_with(".parquet")
            || name.ends_with(".tmp")
            || is_artefact
    };
    let mut entries = fs::read_dir(path).into_iter().flatten();
    let holds_only_ours = entries.all(|entry| entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_ours)));
    value["format_version"].is_u64() && value["written_by"]["name"].is_string() && holds_only_ours
}

/// Reads the manifest of the experiment at `directory`.
///
/// # Errors
/// The directory contains no experiment, a newer whittle wrote the experiment, or the manifest is unreadable.
pub fn read_manifest(directory: &Path) -> Result<Manifest, Error> {
    read_manifest_of(directory).map(|(manifest, _)| manifest)
}

/// The manifest, and the format version of the files.
fn read_manifest_of(directory: &Path) -> Result<(Manifest, u64), Error> {
    if !directory.exists() {
        return Err(Error::Absent { path: directory.to_owned() });
    }
    let path = directory.join(MANIFEST_FILE);
    if !path.is_file() {
        return Err(Error::NotAnExperiment { path: directory.to_owned() });
    }
    let text = read_text(&path).map_err(Error::io("read", &path))?;
    let bad = |error: serde_json::Error| Error::BadManifest { path: path.clone(), reason: error.to_string() };
    let mut value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    let found = value.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if found > u64::from(FORMAT_VERSION) {
        let written_by = value.pointer("/written_by/version").and_then(|v| v.as_str()).unwrap_or("version unknown");
        return Err(Error::NewerFormat { path: directory.to_owned(), found, written_by: written_by.to_owned() });
    }
    upgrade_manifest(&mut value, found);
    Ok((serde_json::from_value(value).map_err(bad)?, found))
}

/// The text of a manifest file.
fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(MAX_MANIFEST_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_MANIFEST_BYTES {
        return Err(io::Error::other(format!("the file has more than {MAX_MANIFEST_BYTES} bytes")));
    }
    Ok(text)
}

/// Reads the readable parts of the experiment at `directory`.
///
/// # Errors
/// The errors of [`read_manifest`], an error if no table is readable, and [`Error::TooLarge`].
pub fn read(directory: &Path) -> Result<Experiment, Error> {
    let (mut manifest, format_version) = read_manifest_of(directory)?;
    let budget = Budget::new(MAX_EXPERIMENT_BYTES);
    let mut reader = Reader { directory, format_version, budget, damage: Vec::new(), too_large: None };
    let mut tables = reader.read_tables();
    let Reader { mut damage, too_large, .. } = reader;
    if let Some(error) = too_large {
        return Err(error);
    }
    let lost = salvage(&mut tables, &mut damage, directory)?;
    if lost > 0 {
        manifest.losses.add_count(LossReason::DamagedInput, lost);
    }
    if tables.stacks.is_empty() {
        let reason = damage.first().map_or_else(|| nothing_written(&manifest), |damage| damage.reason.clone());
        return Err(Error::NothingReadable { path: directory.to_owned(), reason });
    }
    Ok(Experiment { manifest, tables, damage })
}

/// Reads the tables of one experiment.
struct Reader<'a> {
    directory: &'a Path,
    format_version: u64,
    budget: Budget,
    damage: Vec<Damage>,
    /// The first table that needs too much memory.
    too_large: Option<Error>,
}

impl Reader<'_> {
    /// Reads the tables in reverse order of writing. If a running collection adds a part meanwhile, the reader skips
    /// this part, or reads it without samples.
    fn read_tables(&mut self) -> Tables {
        Tables {
            counters: self.read_parts(),
            wakes: self.read_parts(),
            request_parts: self.read_parts(),
            requests: self.read_parts(),
            thread_states: self.read_parts(),
            sampled_calls: self.read_parts(),
            samples: self.read_parts(),
            archive: self.read_whole(),
            jvm_events: self.read_whole(),
            calibration: self.read_whole(),
            syscall_latencies: self.read_whole(),
            syscalls: self.read_whole(),
            files: self.read_whole(),
            object_classes: self.read_whole(),
            threads: self.read_whole(),
            stacks: self.read_parts(),
            frames: self.read_parts(),
            functions: self.read_parts(),
            binaries: self.read_parts(),
        }
    }

    /// Reads the parts 1, 2, … of a growing table. Stops before the first missing or unreadable part, because the rows
    /// of later parts would get wrong positions.
    fn read_parts<T: Table>(&mut self) -> T {
        let mut table = T::default();
        for part in 1.. {
            let path = self.directory.join(part_file(T::NAME, part));
            if !path.exists() {
                let next = self.directory.join(part_file(T::NAME, part + 1));
                if next.exists() {
                    let reason = "the file is missing, so later parts are left out".to_owned();
                    self.damage.push(Damage { path, reason });
                }
                break;
            }
            match self.read_file::<T>(&path) {
                Ok(rows) => table.append(rows),
                Err(error) => {
                    self.damage.push(Damage { path, reason: format!("{error}; this and later parts are left out") });
                    break;
                }
            }
        }
        table
    }

    /// Reads a table that is one file. A table without rows has no file.
    fn read_whole<T: Table>(&mut self) -> T {
        let path = self.directory.join(whole_file(T::NAME));
        if !path.exists() {
            return T::default();
        }
        self.read_file(&path).unwrap_or_else(|error| {
            self.damage.push(Damage { path, reason: error.to_string() });
            T::default()
        })
    }

    fn read_file<T: Table>(&mut self, path: &Path) -> Result<T, Error> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        self.budget.add_file(file.metadata().map_err(Error::io("read", path))?.len());
        let bad = |reason: String| Error::BadTable { path: path.to_owned(), reason };
        // The Parquet library can panic on corrupt files. This function converts such a panic to an error.
        match catch_unwind(AssertUnwindSafe(|| read_table(&file, self.format_version, &mut self.budget))) {
            Ok(Ok(table)) => Ok(table),
            Ok(Err(error)) => {
                if let Some(OverBudget { allowed_bytes }) = OverBudget::of(&error) {
                    let too_large = Error::TooLarge { path: path.to_owned(), allowed_bytes };
                    self.too_large.get_or_insert(too_large);
                }
                Err(bad(error.to_string()))
            }
            Err(_) => Err(bad("the Parquet reader failed".to_owned())),
        }
    }
}

fn nothing_written(manifest: &Manifest) -> String {
    let reason = match manifest.state {
        State::Incomplete => "the collection ended before it wrote samples; collect again",
        State::Complete => "the table files are missing; copy the whole directory",
    };
    reason.to_owned()
}
