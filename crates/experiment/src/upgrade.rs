//! Upgrades data of older format versions. All code after the reader handles only the newest version.
//!
//! Version 2 added the column `reason` to samples. Version 2 also added the tables of exact values. If their files are
//! missing, the tables are empty. In the manifest, version 2 added `not_counted` and more resources, all with defaults.
//! Version 2 renamed the metric `lock` to `lock_wait`.
//!
//! The first programs that wrote version 2 wrote no columns `object_class` and `file` of samples, no sizes of the heap in
//! `jvm_events`, and no statements and traces in `requests`. These columns change the meaning of no other column, so the version stayed
//! the same. Without them, all classes, files, sizes, statements and traces are unknown.

use serde_json::Value;
use whittle_model::{
    ColumnValues, FORMAT_VERSION, FileIndex, JvmEventTable, Metric, ObjectClass, ObjectClassIndex, RequestTable,
    SampleTable, Table, Tables, WaitReason,
};

/// Upgrades a manifest to the newest version. The manifest can already have this version.
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
        metric["name"] = Metric::LockWait.name().into();
    }
}

/// Adds the row for unknown classes, if the table of classes is missing.
pub(crate) fn add_unknown_class(tables: &mut Tables) {
    if tables.object_classes.is_empty() {
        tables.object_classes.push(ObjectClass { name: String::new() });
    }
}

/// The values of a column that an older version does not have. `None` if the column is required.
pub(crate) fn added_column(table: &str, column: &str, rows: usize, found_version: u64) -> Option<ColumnValues> {
    match (found_version, table, column) {
        (1, SampleTable::NAME, "reason") => Some(ColumnValues::Code(vec![WaitReason::None as u8; rows])),
        (1 | 2, SampleTable::NAME, "object_class") => Some(ColumnValues::U32(vec![ObjectClassIndex::UNKNOWN.0; rows])),
        (1 | 2, JvmEventTable::NAME, "heap_before_bytes" | "heap_after_bytes") => {
            Some(ColumnValues::OptionalU64(vec![None; rows]))
        }
        (1 | 2, RequestTable::NAME, "statements_count" | "statements_ns") => {
            Some(ColumnValues::OptionalU64(vec![None; rows]))
        }
        (1 | 2, RequestTable::NAME, "trace") => Some(ColumnValues::OptionalText(vec![None; rows])),
        (1 | 2, SampleTable::NAME, "file") => Some(ColumnValues::U32(vec![FileIndex::NONE.0; rows])),
        _ => None,
    }
}
