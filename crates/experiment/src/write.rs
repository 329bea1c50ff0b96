//! Writes an experiment in parts, so the experiment is readable at any time.

use crate::parquet_file::{Pages, write_table};
use crate::{
    Error, MANIFEST_FILE, create_new_private_folder, create_private_file, is_experiment, part_file, whole_file,
};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use whittle_model::{Manifest, NewRows, Table, Tables, ThreadTable};

/// Writes one experiment. If writing a part fails, the earlier parts stay readable.
#[derive(Debug)]
pub struct ExperimentWriter {
    directory: PathBuf,
    /// The new path of the replaced experiment. This experiment is removed when the new experiment has content.
    replaced: Option<PathBuf>,
    binaries: Written,
    functions: Written,
    frames: Written,
    stacks: Written,
    new_rows: PartCounts,
}

/// Numbers of parts on disk, for the tables that [`append`](ExperimentWriter::append) receives as new rows.
#[derive(Debug, Default, Clone, Copy)]
struct PartCounts {
    samples: u32,
    sampled_calls: u32,
    thread_states: u32,
    requests: u32,
    request_parts: u32,
    wakes: u32,
    counters: u32,
}

/// How many parts and rows of a growing table are on disk.
#[derive(Debug, Default, Clone, Copy)]
struct Written {
    parts: u32,
    rows: usize,
}

impl ExperimentWriter {
    /// Creates the directory `directory` with a manifest in the state "incomplete".
    ///
    /// If `replaces` is true, an experiment at this path is removed when the new experiment has content. Other files
    /// and directories are never replaced.
    ///
    /// # Errors
    /// The path exists, or the system reports an error.
    pub fn create(directory: &Path, manifest: &Manifest, replaces: bool) -> Result<Self, Error> {
        let replaced = match (directory.symlink_metadata().is_ok(), is_experiment(directory), replaces) {
            (false, ..) => None,
            (true, true, true) => Some(move_aside(directory)?),
            (true, true, false) => return Err(Error::Exists { path: directory.to_owned() }),
            (true, false, _) => return Err(Error::ExistsOther { path: directory.to_owned() }),
        };
        create_new_private_folder(directory).map_err(Error::io("create the experiment", directory))?;
        let none = Written::default();
        let writer = Self {
            directory: directory.to_owned(),
            replaced,
            binaries: none,
            functions: none,
            frames: none,
            stacks: none,
            new_rows: PartCounts::default(),
        };
        writer.write_manifest(manifest)?;
        Ok(writer)
    }

    /// The experiment's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes the new experiment, and restores the experiment that was to be replaced.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn abandon(self) -> Result<(), Error> {
        fs::remove_dir_all(&self.directory).map_err(Error::io("remove", &self.directory))?;
        match &self.replaced {
            Some(old) => fs::rename(old, &self.directory).map_err(Error::io("put back", &self.directory)),
            None => Ok(()),
        }
    }

    /// Writes `new_rows`. Also writes, from `tables`, the new rows of the other growing tables, and each table that is
    /// one file. If `new_rows` has a table, the table's rows in `tables` are ignored.
    ///
    /// # Errors
    /// After an error, the new rows are not valid on disk. Pass the new rows again, together with later rows.
    pub fn append(&mut self, tables: &Tables, new_rows: &NewRows) -> Result<(), Error> {
        self.binaries = self.append_rows(&tables.binaries, self.binaries)?;
        self.functions = self.append_rows(&tables.functions, self.functions)?;
        self.frames = self.append_rows(&tables.frames, self.frames)?;
        self.stacks = self.append_rows(&tables.stacks, self.stacks)?;
        self.write_file(&whole_file(ThreadTable::NAME), |file| table_bytes(file, &tables.threads, 0))?;
        self.write_whole(&tables.object_classes)?;
        self.write_whole(&tables.files)?;
        self.write_whole(&tables.syscalls)?;
        self.write_whole(&tables.syscall_latencies)?;
        self.write_whole(&tables.calibration)?;
        self.write_whole(&tables.jvm_events)?;
        self.write_whole(&tables.archive)?;
        // The new parts become valid only after all new parts are written. If one part fails, the next call writes the
        // same parts again, with more rows.
        let written = self.new_rows;
        self.new_rows = PartCounts {
            samples: self.write_part(&new_rows.samples, written.samples)?,
            sampled_calls: self.write_part(&new_rows.sampled_calls, written.sampled_calls)?,
            thread_states: self.write_part(&new_rows.thread_states, written.thread_states)?,
            requests: self.write_part(&new_rows.requests, written.requests)?,
            request_parts: self.write_part(&new_rows.request_parts, written.request_parts)?,
            wakes: self.write_part(&new_rows.wakes, written.wakes)?,
            counters: self.write_part(&new_rows.counters, written.counters)?,
        };
        if let Some(old) = self.replaced.take() {
            // Files that remain only use disk space, so an error is ignored.
            let _ = fs::remove_dir_all(old);
        }
        Ok(())
    }

    /// Replaces a table. A table without rows has no file.
    fn write_whole<T: Table>(&self, table: &T) -> Result<(), Error> {
        if table.is_empty() {
            return Ok(());
        }
        self.write_file(&whole_file(T::NAME), |file| table_bytes(file, table, 0))
    }

    /// Writes the part that follows the first `parts` parts, unless `rows` is empty. Returns the new number of parts.
    fn write_part<T: Table>(&self, rows: &T, parts: u32) -> Result<u32, Error> {
        if rows.is_empty() {
            return Ok(parts);
        }
        self.write_file(&part_file(T::NAME, parts + 1), |file| table_bytes(file, rows, 0))?;
        Ok(parts + 1)
    }

    fn append_rows<T: Table>(&self, table: &T, written: Written) -> Result<Written, Error> {
        if table.len() == written.rows {
            return Ok(written);
        }
        let parts = written.parts + 1;
        self.write_file(&part_file(T::NAME, parts), |file| table_bytes(file, table, written.rows))?;
        Ok(Written { parts, rows: table.len() })
    }

    /// Replaces the manifest.
    ///
    /// # Errors
    /// The system reports an error. In this case, the old manifest still exists.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), Error> {
        self.write_file(MANIFEST_FILE, |file| {
            serde_json::to_writer_pretty(&mut *file, manifest)?;
            file.write_all(b"\n")
        })
    }

    /// Writes a file under a temporary name, flushes it to disk and renames it.
    fn write_file(&self, name: &str, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<(), Error> {
        let path = self.directory.join(name);
        let temporary = self.directory.join(format!("{name}.tmp"));
        let written = create_private_file(&temporary).and_then(|mut file| {
            write(&mut file)?;
            file.sync_all()
        });
        let renamed = written.and_then(|()| fs::rename(&temporary, &path)).and_then(|()| {
            // The new name is on disk only after the directory is on disk.
            File::open(&self.directory)?.sync_all()
        });
        renamed.map_err(|source| {
            // The temporary file of a failed write only uses disk space, so an error is ignored.
            let _ = fs::remove_file(&temporary);
            Error::Io { action: "write", path, source }
        })
    }
}

/// Renames an experiment that will be replaced, and returns the new path.
fn move_aside(directory: &Path) -> Result<PathBuf, Error> {
    let mut name = std::ffi::OsString::from(".");
    name.push(directory.file_name().unwrap_or_default());
    name.push(format!(".replaced-{}", std::process::id()));
    let aside = directory.with_file_name(name);
    fs::rename(directory, &aside).map_err(Error::io("replace the experiment", directory))?;
    Ok(aside)
}

fn table_bytes<T: Table>(file: &mut File, table: &T, first_row: usize) -> std::io::Result<()> {
    write_table(file, table, first_row, Pages::Packed).map_err(|error| match error {
        parquet::errors::ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => *source,
            Err(source) => std::io::Error::other(source),
        },
        other => std::io::Error::other(other),
    })
}
