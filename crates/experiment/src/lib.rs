//! Experiments on disk: a directory `NAME.whittle/` with `manifest.json` and Parquet tables.
//!
//! ```text
//! NAME.whittle/
//!   manifest.json               replaced as a whole; its state is "incomplete" until the end
//!   binaries-000001.parquet     a growing table has parts; part 2 has the rows that follow part 1
//!   functions-000001.parquet
//!   frames-000001.parquet
//!   stacks-000001.parquet
//!   samples-000001.parquet      samples-000002.parquet …
//!   …                           also sampled_calls, thread_states, requests, request_parts, wakes, counters
//!   threads.parquet             replaced as a whole: rows change while threads live
//!   …                           also files, syscalls, syscall_latencies, calibration, jvm_events, archive
//! ```
//!
//! A table without rows has no file. Every file is written under a temporary name, flushed to disk and renamed. Samples
//! are written after the rows that they refer to. If a collection is killed, its experiment is still readable and is
//! marked as incomplete.

mod budget;
mod damage;
mod error;
mod footer;
mod pages;
mod parquet_column;
mod parquet_file;
mod private_files;
mod read;
mod salvage;
mod segment;
mod store;
mod thrift;
mod upgrade;
mod user_notes;
mod write;

pub use damage::Damage;
pub use error::Error;
pub use private_files::{
    check_own_folder, create_new_private_folder, create_private_file, create_private_folders, own_user,
};
pub use read::{Experiment, TRIES_FILE, is_experiment, read, read_manifest};
pub use segment::{
    LANDING, Segment, SegmentError, SegmentName, day_name, path_part, read_segment, segment_path, write_plain_segment,
    write_segment,
};
pub use store::{Store, StoreError};
pub use user_notes::{NoteChange, NotePlace, NotesError, UserNote, UserNotes, change_notes, read_notes};
pub use whittle_model::NewRows;
pub use write::ExperimentWriter;

/// The file name of the manifest.
const MANIFEST_FILE: &str = "manifest.json";

/// Maximum size of a manifest: 16 MiB. Manifests have some kilobytes. A parsed manifest takes up to sixteen times the
/// memory.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// File name of part `part` (counted from 1) of a table that grows.
fn part_file(table: &str, part: u32) -> String {
    format!("{table}-{part:06}.parquet")
}

/// File name of a table that is replaced as a whole.
fn whole_file(table: &str) -> String {
    format!("{table}.parquet")
}
