//! Files of other profilers.

use std::io::Cursor;
use whittle_import::{
    CollapsedOptions, ForeignImport, ImportError, ImportOptions, JfrImporter, JfrOptions, JvmLog, NoSymbols,
    OpenedFile, import, import_collapsed, import_firefox, import_otlp, import_perf_data, import_pprof,
    import_speedscope,
};
use whittle_model::TableBuilder;

/// The memory limit for a file. Readers must stay below it.
const MAX_BYTES: usize = 1 << 26;

/// The limit for a chunk of a recording, small enough for inputs of a fuzzer.
const MAX_CHUNK_BYTES: u64 = 1 << 16;

fn check(builder: TableBuilder) {
    builder.into_tables().validate().expect("tables keep their promises");
}

fn foreign(bytes: &[u8], read: fn(&OpenedFile<'_>, &mut TableBuilder) -> Result<ForeignImport, ImportError>) {
    let Ok(file) = OpenedFile::open(bytes, MAX_BYTES) else { return };
    let mut builder = TableBuilder::new();
    let _is_readable = read(&file, &mut builder);
    check(builder);
}

/// Reads a file of any format, as `whittle import` does.
pub(crate) fn any_format(bytes: &[u8]) {
    if let Ok(imported) = import(bytes, ImportOptions { max_bytes: MAX_BYTES, ..ImportOptions::default() }) {
        check(imported.builder);
    }
}

pub(crate) fn collapsed(bytes: &[u8]) {
    let mut builder = TableBuilder::new();
    let _has_stacks = import_collapsed(&String::from_utf8_lossy(bytes), CollapsedOptions::default(), &mut builder);
    check(builder);
}

pub(crate) fn firefox(bytes: &[u8]) {
    foreign(bytes, import_firefox);
}

/// Reads a recording in two parts, like a growing recording. The first byte determines the position between the parts.
pub(crate) fn jfr(bytes: &[u8]) {
    let Some((split, bytes)) = bytes.split_first() else { return };
    let middle = bytes.len() * usize::from(*split) / 256;
    let mut importer = JfrImporter::new(JfrOptions::default());
    let mut builder = TableBuilder::new();
    let consumed = importer.push(&bytes[..middle], &mut builder);
    let _is_recording = importer.finish(&bytes[consumed..], &mut builder);
    check(builder);
}

/// Reads a recording from a file, chunk by chunk.
pub(crate) fn jfr_file(bytes: &[u8]) {
    let mut builder = TableBuilder::new();
    let importer = JfrImporter::new(JfrOptions::default());
    let _is_recording = importer.read(&mut Cursor::new(bytes), MAX_CHUNK_BYTES, &mut builder);
    check(builder);
}

pub(crate) fn otlp(bytes: &[u8]) {
    foreign(bytes, import_otlp);
}

pub(crate) fn perf_data(bytes: &[u8]) {
    let mut builder = TableBuilder::new();
    let _is_readable = import_perf_data(bytes, &mut NoSymbols, &mut builder);
    check(builder);
}

pub(crate) fn pprof(bytes: &[u8]) {
    foreign(bytes, import_pprof);
}

pub(crate) fn speedscope(bytes: &[u8]) {
    foreign(bytes, import_speedscope);
}

/// Reads the log of a JVM in two pieces. The experiment starts at 1 ms, so some events are before it.
pub(crate) fn jvm_log(bytes: &[u8]) {
    let mut builder = TableBuilder::new();
    let mut log = JvmLog::new(1_000_000);
    let (first, second) = bytes.split_at(bytes.len() / 2);
    [first, second].into_iter().for_each(|piece| log.push(piece, &mut builder.tables_mut().jvm_events));
    log.finish(&mut builder.tables_mut().jvm_events);
    check(builder);
}
