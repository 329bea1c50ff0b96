//! Imports any bytes as a Firefox Profiler profile.
//!
//! Seeds: the files of this format in `crates/import/tests/fixtures`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_import::{OpenedFile, import_firefox};
use whittle_model::TableBuilder;

fuzz_target!(|input: &[u8]| {
    let Ok(file) = OpenedFile::open(input, 1 << 26) else { return };
    let mut builder = TableBuilder::new();
    let _is_readable = import_firefox(&file, &mut builder);
    builder.into_tables().validate().expect("tables keep their promises");
});
