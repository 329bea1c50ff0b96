//! What older versions of the format lack, and how it is filled in: code past the reader sees the newest only.
//!
//! Version 2 added to version 1: the column `reason` of samples, the tables of exact figures (absent files are
//! empty tables), and `not_counted` and more resources in the manifest (they have defaults). The metric `lock`
//! is called `lock_wait` since.

use serde_json::Value;
use whittle_model::{ColumnValues, FORMAT_VERSION, SampleTable, Table, WaitReason};

/// Turns the manifest of an older version, or of the newest, into one of the newest.
pub(crate) fn upgrade_manifest(manifest: &mut Value, found_version: u64) {
    if found_version == 1 {
        rename_lock_metric(manifest);
    }
    if (1..u64::from(FORMAT_VERSION)).contains(&found_version) {
        manifest["format_version"] = FORMAT_VERSION.into();
    }
}

fn rename_lock_metric(manifest: &mut Value) {
    let metrics = manifest.get_mut("metrics").and_then(Value::as_array_mut);
    for metric in metrics.into_iter().flatten().filter(|metric| metric["name"] == "lock") {
        metric["name"] = "lock_wait".into();
    }
}

/// The values of a column that tables of an older version do not have; nothing if this one must be there.
pub(crate) fn added_column(table: &str, column: &str, rows: usize, found_version: u64) -> Option<ColumnValues> {
    match (found_version, table, column) {
        (1, SampleTable::NAME, "reason") => Some(ColumnValues::Code(vec![WaitReason::None as u8; rows])),
        _ => None,
    }
}
