//! Reading an experiment, and what of it can be had when it is damaged.

use crate::parquet_file::read_table;
use crate::{Error, MANIFEST_FILE, part_file, whole_file};
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use whittle_model::{
    BinaryTable, FORMAT_VERSION, FrameTable, FunctionTable, LossReason, Manifest, SampleTable, StackTable, State,
    Table, Tables, Thread, ThreadTable,
};

/// An experiment in memory.
#[derive(Debug)]
pub struct Experiment {
    /// Everything that is not a table.
    pub manifest: Manifest,
    /// The tables; they keep every promise of their documentation.
    pub tables: Tables,
    /// What could not be read. Empty for a whole experiment.
    pub damage: Vec<Damage>,
}

/// A part of an experiment that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, and what it costs.
    pub reason: String,
}

/// True if `path` is a directory that holds an experiment's manifest and nothing but its files. Other
/// programs' folders have a `manifest.json`, too.
pub fn is_experiment(path: &Path) -> bool {
    let Ok(text) = fs::read_to_string(path.join(MANIFEST_FILE)) else { return false };
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let is_ours = |name: &str| name == MANIFEST_FILE || name.ends_with(".parquet") || name.ends_with(".tmp");
    let mut entries = fs::read_dir(path).into_iter().flatten();
    let holds_only_ours = entries.all(|entry| entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_ours)));
    value["format_version"].is_u64() && value["written_by"]["name"].is_string() && holds_only_ours
}

/// Reads the manifest of the experiment at `directory`.
///
/// # Errors
/// There is no experiment, a newer whittle wrote it, or the manifest is damaged.
pub fn read_manifest(directory: &Path) -> Result<Manifest, Error> {
    if !directory.exists() {
        return Err(Error::Absent { path: directory.to_owned() });
    }
    let path = directory.join(MANIFEST_FILE);
    if !path.is_file() {
        return Err(Error::NotAnExperiment { path: directory.to_owned() });
    }
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let bad = |error: serde_json::Error| Error::BadManifest { path: path.clone(), reason: error.to_string() };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    let found = value.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if found > u64::from(FORMAT_VERSION) {
        let written_by = value.pointer("/written_by/version").and_then(|v| v.as_str()).unwrap_or("version unknown");
        return Err(Error::NewerFormat { path: directory.to_owned(), found, written_by: written_by.to_owned() });
    }
    serde_json::from_value(value).map_err(bad)
}

/// Reads the experiment at `directory`, as much of it as can be read.
///
/// # Errors
/// As [`read_manifest`], or no table at all could be read.
pub fn read(directory: &Path) -> Result<Experiment, Error> {
    let mut manifest = read_manifest(directory)?;
    let mut damage = Vec::new();
    // The other way round than they are written: a part that a running collection adds meanwhile is
    // either not seen at all, or seen without samples.
    let samples = read_parts::<SampleTable>(directory, &mut damage);
    let threads = read_whole(directory, &mut damage);
    let stacks = read_parts::<StackTable>(directory, &mut damage);
    let frames = read_parts::<FrameTable>(directory, &mut damage);
    let functions = read_parts::<FunctionTable>(directory, &mut damage);
    let binaries = read_parts::<BinaryTable>(directory, &mut damage);
    let mut tables = Tables { binaries, functions, frames, stacks, threads, samples };
    stand_in_for_threads(&mut tables, &mut damage, directory);
    let lost = drop_dangling_rows(&mut tables);
    if lost > 0 {
        manifest.losses.add_count(LossReason::DamagedInput, lost);
    }
    if tables.stacks.is_empty() {
        let reason = damage.first().map_or_else(|| nothing_written(&manifest), |damage| damage.reason.clone());
        return Err(Error::NothingReadable { path: directory.to_owned(), reason });
    }
    tables.validate().map_err(|broken| Error::Invalid { path: directory.to_owned(), broken })?;
    Ok(Experiment { manifest, tables, damage })
}

/// More missing threads than a process can have: then the samples are damaged, not the threads.
const MAX_STAND_IN_THREADS: usize = 1 << 22;

/// Reads parts 1, 2, … of a growing table up to the first that is missing or damaged: the rows of
/// later parts would stand at wrong positions.
fn read_parts<T: Table>(directory: &Path, damage: &mut Vec<Damage>) -> T {
    let mut table = T::default();
    for part in 1.. {
        let path = directory.join(part_file(T::NAME, part));
        if !path.exists() {
            let next = directory.join(part_file(T::NAME, part + 1));
            if next.exists() {
                damage.push(Damage { path, reason: "the file is missing, later parts are left out".to_owned() });
            }
            break;
        }
        match read_file::<T>(&path) {
            Ok(rows) => table.append(rows),
            Err(error) => {
                damage.push(Damage { path, reason: format!("{error}; this and later parts are left out") });
                break;
            }
        }
    }
    table
}

fn read_whole<T: Table>(directory: &Path, damage: &mut Vec<Damage>) -> T {
    let path = directory.join(whole_file(T::NAME));
    if !path.exists() {
        return T::default();
    }
    read_file(&path).unwrap_or_else(|error| {
        damage.push(Damage { path, reason: error.to_string() });
        T::default()
    })
}

fn read_file<T: Table>(path: &Path) -> Result<T, Error> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    let bad = |reason: String| Error::BadTable { path: path.to_owned(), reason };
    // The Parquet library asserts in places what a damaged file can break: such a panic is an error here.
    match catch_unwind(AssertUnwindSafe(|| read_table(file))) {
        Ok(table) => table.map_err(|error| bad(error.to_string())),
        Err(_) => Err(bad("the Parquet reader gave up on it".to_owned())),
    }
}

fn nothing_written(manifest: &Manifest) -> String {
    let reason = match manifest.state {
        State::Incomplete => "the collection ended before its first samples were written; collect again",
        State::Complete => "the table files are missing; copy the whole directory",
    };
    reason.to_owned()
}

/// Samples whose threads cannot be read keep their worth: they get threads without a name.
fn stand_in_for_threads(tables: &mut Tables, damage: &mut Vec<Damage>, directory: &Path) {
    let highest = tables.samples.thread.iter().map(|thread| thread.row()).max();
    let missing = highest.map_or(0, |highest| (highest + 1).saturating_sub(tables.threads.len()));
    if missing == 0 || missing > MAX_STAND_IN_THREADS {
        return;
    }
    for row in tables.threads.len()..tables.threads.len() + missing {
        tables.threads.push(Thread::unknown(None, None, &format!("<thread {row}: not readable>")));
    }
    let path = directory.join(whole_file(ThreadTable::NAME));
    damage.push(Damage {
        path,
        reason: format!("{missing} threads are not readable: names and exact CPU times are missing"),
    });
}

/// Removes rows that point at rows which could not be read; gives the number of samples among them.
fn drop_dangling_rows(tables: &mut Tables) -> u64 {
    let Tables { binaries, functions, frames, stacks, threads, samples } = tables;
    let keep = |mut is_whole: Box<dyn Iterator<Item = bool> + '_>| is_whole.position(|is_whole| !is_whole);
    if let Some(rows) = keep(Box::new(functions.binary.iter().map(|binary| binary.row() < binaries.len()))) {
        functions.truncate(rows);
    }
    if let Some(rows) = keep(Box::new(frames.function.iter().map(|function| function.row() < functions.len()))) {
        frames.truncate(rows);
    }
    // A dangling parent lies behind an earlier dangling frame, so the first one decides.
    if let Some(rows) = keep(Box::new(stacks.frame.iter().map(|frame| frame.row() < frames.len()))) {
        stacks.truncate(rows);
    }
    let all = std::mem::take(samples);
    for row in 0..all.len() {
        if all.stack[row].row() < stacks.len() && all.thread[row].row() < threads.len() {
            samples.push(all.row(row));
        }
    }
    (all.len() - samples.len()) as u64
}
