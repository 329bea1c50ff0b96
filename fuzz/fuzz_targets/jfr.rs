//! Imports any bytes as a JFR recording in two parts, like a growing recording. The first byte of the input determines
//! the position between the two parts.
//!
//! Seeds: the recordings in `crates/import/tests/fixtures`, each with one additional byte at the beginning.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_import::{JfrImporter, JfrOptions};
use whittle_model::TableBuilder;

fuzz_target!(|input: &[u8]| {
    let Some((split, bytes)) = input.split_first() else { return };
    let middle = bytes.len() * usize::from(*split) / 256;
    let mut importer = JfrImporter::new(JfrOptions::default());
    let mut builder = TableBuilder::new();
    let consumed = importer.push(&bytes[..middle], &mut builder);
    let _is_recording = importer.finish(&bytes[consumed..], &mut builder);
    builder.into_tables().validate().expect("tables keep their promises");
});
