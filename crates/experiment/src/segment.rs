//! Segments of a continuous collection. Each segment is an experiment in one object.
//!
//! ```text
//! segments/checkout/2026-11-22/1763769600000000000-<stream>-0-<hash>.tar
//!   manifest.json                 with labels and the segment's identity
//!   functions-000001.parquet      the files of an experiment; `tar xf` extracts them
//!   samples-000001.parquet
//!   …
//! ```
//!
//! An object exists completely or not at all. The object's name contains a hash of the bytes, so a reader detects a
//! corrupt object before using its content.

use crate::budget::{Budget, MAX_SEGMENT_BYTES, OverBudget};
use crate::parquet_file::{Pages, read_table, write_table};
use crate::upgrade::{add_unknown_class, upgrade_manifest};
use crate::{MANIFEST_FILE, MAX_MANIFEST_BYTES, part_file, whole_file};
use bytes::Bytes;
use std::collections::HashMap;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;
use whittle_model::{BrokenPromise, ContentHash, FORMAT_VERSION, Manifest, SegmentId, StreamId, Table, Tables};

/// The folder of the store in which segments arrive.
pub const LANDING: &str = "segments";

/// The end of a segment's name.
const EXTENSION: &str = ".tar";

const NS_PER_DAY: u64 = 86_400_000_000_000;

/// A segment in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The part of the segment that is not in tables, such as labels and identity.
    pub manifest: Manifest,
    /// The tables. All tables follow the documented rules.
    pub tables: Tables,
}

/// Why a segment could not be written or read.
#[derive(Debug, Error)]
pub enum SegmentError {
    /// The manifest lacks the identity or the labels. A segment needs both.
    #[error("a segment needs {0} in its manifest")]
    Incomplete(&'static str),
    /// The bytes do not match the name, or are not a segment.
    #[error("the segment is damaged: {0}")]
    Damaged(String),
    /// A newer version of whittle wrote the segment.
    #[error("the segment has format version {0}, but this whittle reads only versions up to {FORMAT_VERSION}")]
    NewerFormat(u64),
    /// The tables contradict each other.
    #[error("the segment's tables contradict each other: {0}")]
    Invalid(#[from] BrokenPromise),
    /// The tables need more memory than tables of this size can need. A tiny segment can contain billions of rows.
    #[error("the segment's tables need more than {allowed_bytes} bytes of memory, the limit for segments of this size")]
    TooLarge {
        /// The limit in bytes.
        allowed_bytes: u64,
    },
    /// A table could not be written.
    #[error("a table of the segment cannot be written: {0}")]
    Write(String),
}

/// The information in a landed segment's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentName {
    /// Start of the segment according to the clock of its host, in nanoseconds since 1970-01-01 UTC.
    pub start_wall_ns: u64,
    /// Identity of the segment.
    pub id: SegmentId,
    /// XXH3-128 of the segment's bytes.
    pub content: ContentHash,
}

impl SegmentName {
    /// Parses a segment's name from the last part of an object's path. `None`: this part is not a segment's name.
    pub fn parse(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?.strip_suffix(EXTENSION)?;
        let mut parts = name.split('-');
        let start_wall_ns = parts.next()?.parse().ok()?;
        let stream: StreamId = parts.next()?.parse().ok()?;
        let sequence = parts.next()?.parse().ok()?;
        let content: StreamId = parts.next()?.parse().ok()?;
        let id = SegmentId { stream, sequence };
        parts.next().is_none().then_some(Self { start_wall_ns, id, content: ContentHash(content.0) })
    }
}

/// The path of a segment in the store, made from the segment's manifest and bytes.
///
/// # Errors
/// The manifest has no start, no identity or no label `service`.
pub fn segment_path(manifest: &Manifest, bytes: &[u8]) -> Result<String, SegmentError> {
    let start_wall_ns = manifest.start_wall_ns.ok_or(SegmentError::Incomplete("a start"))?;
    let SegmentId { stream, sequence } = manifest.segment.ok_or(SegmentError::Incomplete("an identity"))?;
    let service = match manifest.label("service") {
        "" => return Err(SegmentError::Incomplete("the label \"service\"")),
        service => path_part(service),
    };
    let (day, content) = (day_name(start_wall_ns), StreamId(ContentHash::of(bytes).0));
    Ok(format!("{LANDING}/{service}/{day}/{start_wall_ns}-{stream}-{sequence}-{content}{EXTENSION}"))
}

/// Escapes `text` for use as one part of an object's path. ASCII letters, digits, `.`, `_` and `-` are not changed. All
/// other bytes and a leading dot become `+` and two hexadecimal digits. `%` is not used, because directories and URLs
/// would escape `%` again.
pub fn path_part(text: &str) -> String {
    let mut part = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"_-".contains(&byte) || byte == b'.' && !part.is_empty();
        if is_plain { part.push(byte.into()) } else { part.push_str(&format!("+{byte:02X}")) }
    }
    part
}

/// The UTC day, such as `2026-11-22`, that contains a time in nanoseconds since 1970-01-01. Uses Howard Hinnant's
/// `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>).
pub fn day_name(wall_ns: u64) -> String {
    let days = wall_ns / NS_PER_DAY + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes a segment as bytes.
///
/// # Errors
/// A table could not be written.
pub fn write_segment(manifest: &Manifest, tables: &Tables) -> Result<Vec<u8>, SegmentError> {
    write(manifest, tables, Pages::Packed)
}

/// Writes a segment without compression, for an archive that compresses many similar segments together.
///
/// # Errors
/// A table could not be written.
pub fn write_plain_segment(manifest: &Manifest, tables: &Tables) -> Result<Vec<u8>, SegmentError> {
    write(manifest, tables, Pages::Plain)
}

fn write(manifest: &Manifest, tables: &Tables, pages: Pages) -> Result<Vec<u8>, SegmentError> {
    let mut archive = tar::Builder::new(Vec::new());
    let manifest = serde_json::to_vec_pretty(manifest).map_err(|error| SegmentError::Write(error.to_string()))?;
    add_file(&mut archive, MANIFEST_FILE, &manifest)?;
    macro_rules! add {
        ($name:ident: $($table:ident),*) => { $( add_table(&mut archive, &tables.$table, ($name, pages))?; )* };
    }
    add!(first_part_file: binaries, functions, frames, stacks, samples, sampled_calls, thread_states, requests,
        request_parts, wakes, counters);
    add!(whole_file: threads, object_classes, files, syscalls, syscall_latencies, calibration, jvm_events, archive);
    archive.into_inner().map_err(|error| SegmentError::Write(error.to_string()))
}

fn first_part_file(table: &str) -> String {
    part_file(table, 1)
}

/// Adds a table to the archive, if the table has rows.
fn add_table<T: Table>(
    archive: &mut tar::Builder<Vec<u8>>,
    table: &T,
    (file_name, pages): (fn(&str) -> String, Pages),
) -> Result<(), SegmentError> {
    if table.is_empty() {
        return Ok(());
    }
    let mut bytes = Vec::new();
    write_table(&mut bytes, table, 0, pages).map_err(|error| SegmentError::Write(error.to_string()))?;
    add_file(archive, &file_name(T::NAME), &bytes)
}

/// Adds a file without time and owner, so equal segments have equal bytes.
fn add_file(archive: &mut tar::Builder<Vec<u8>>, name: &str, bytes: &[u8]) -> Result<(), SegmentError> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o600);
    archive.append_data(&mut header, name, bytes).map_err(|error| SegmentError::Write(error.to_string()))
}

/// Reads a segment. The segment must be complete. A partial segment would have wrong values, and users would not notice
/// this. Little data is lost, because a segment is small.
///
/// # Errors
/// See [`SegmentError`].
pub fn read_segment(bytes: &Bytes) -> Result<Segment, SegmentError> {
    let damaged = |reason: String| SegmentError::Damaged(reason);
    let files = files(bytes).map_err(|error| damaged(error.to_string()))?;
    let manifest = files.get(MANIFEST_FILE).ok_or_else(|| damaged("it has no manifest".to_owned()))?;
    if manifest.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(damaged(format!("its manifest has more than {MAX_MANIFEST_BYTES} bytes")));
    }
    let mut manifest: serde_json::Value =
        serde_json::from_slice(manifest).map_err(|error| damaged(error.to_string()))?;
    let version = manifest.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if version > u64::from(FORMAT_VERSION) {
        return Err(SegmentError::NewerFormat(version));
    }
    upgrade_manifest(&mut manifest, version);
    let manifest = serde_json::from_value(manifest).map_err(|error| damaged(error.to_string()))?;
    // The Parquet library can panic on corrupt bytes. This function converts such a panic to an error.
    let mut budget = Budget::new(MAX_SEGMENT_BYTES);
    budget.add_file(bytes.len() as u64);
    let tables = catch_unwind(AssertUnwindSafe(|| read_tables(&files, version, &mut budget)));
    let tables = tables.unwrap_or_else(|_| Err(damaged("the Parquet reader failed".to_owned())))?;
    tables.validate()?;
    Ok(Segment { manifest, tables })
}

/// The files in a tar file, by name. Their bytes are not copied.
fn files(bytes: &Bytes) -> std::io::Result<HashMap<String, Bytes>> {
    let mut archive = tar::Archive::new(bytes.as_ref());
    let mut files = HashMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let start = usize::try_from(entry.raw_file_position()).map_err(std::io::Error::other)?;
        let length = usize::try_from(entry.size()).map_err(std::io::Error::other)?;
        let end = start.checked_add(length).filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(|| std::io::Error::other(format!("{name} is truncated")))?;
        std::io::copy(&mut entry.by_ref(), &mut std::io::sink())?;
        files.insert(name, bytes.slice(start..end));
    }
    Ok(files)
}

fn read_tables(files: &HashMap<String, Bytes>, version: u64, budget: &mut Budget) -> Result<Tables, SegmentError> {
    macro_rules! tables {
        ($($table:ident in $name:ident),*) => { Tables { $( $table: read_file(files, $name, (version, &mut *budget))?, )* } };
    }
    let mut tables = tables! {
        binaries in first_part_file, functions in first_part_file, frames in first_part_file,
        stacks in first_part_file, samples in first_part_file, sampled_calls in first_part_file,
        thread_states in first_part_file, requests in first_part_file, request_parts in first_part_file, wakes in first_part_file,
        counters in first_part_file, threads in whole_file,
        object_classes in whole_file, files in whole_file, syscalls in whole_file, syscall_latencies in whole_file,
        calibration in whole_file, jvm_events in whole_file, archive in whole_file
    };
    add_unknown_class(&mut tables);
    Ok(tables)
}

/// Reads one table. A table without rows has no file.
fn read_file<T: Table>(
    files: &HashMap<String, Bytes>,
    file_name: fn(&str) -> String,
    (version, budget): (u64, &mut Budget),
) -> Result<T, SegmentError> {
    let name = file_name(T::NAME);
    let Some(bytes) = files.get(&name) else { return Ok(T::default()) };
    read_table(bytes, version, budget).map_err(|error| match OverBudget::of(&error) {
        Some(OverBudget { allowed_bytes }) => SegmentError::TooLarge { allowed_bytes },
        None => SegmentError::Damaged(format!("{name}: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_the_calendar() {
        assert_eq!(day_name(0), "1970-01-01");
        assert_eq!(day_name(951_782_399_999_999_999), "2000-02-28");
        assert_eq!(day_name(951_782_400_000_000_000), "2000-02-29");
        assert_eq!(day_name(951_868_800_000_000_000), "2000-03-01");
        assert_eq!(day_name(1_798_761_599_000_000_000), "2026-12-31");
        assert_eq!(day_name(1_798_761_600_000_000_000), "2027-01-01");
    }

    #[test]
    fn a_part_of_a_path_leads_nowhere_else() {
        assert_eq!(path_part("checkout-api_v1.2"), "checkout-api_v1.2");
        assert_eq!(path_part("../etc/ä"), "+2E.+2Fetc+2F+C3+A4");
    }

    #[test]
    fn names_say_what_lies_there() {
        let id = SegmentId { stream: StreamId(7), sequence: 12 };
        let (stream, content) = (StreamId(7), StreamId(9));
        let name = SegmentName::parse(&format!("segments/a/2026-11-22/55-{stream}-12-{content}.tar"));
        assert_eq!(name, Some(SegmentName { start_wall_ns: 55, id, content: ContentHash(9) }));
        for other in ["segments/a/55.tar", "55-7-12-9.tar", "x", "segments/a/55-7-12-9.tar.tmp"] {
            assert_eq!(SegmentName::parse(other), None, "{other}");
        }
    }
}
