//! Imports any bytes as a perf.data file.
//!
//! Seeds: the files of this format in `crates/import/tests/fixtures`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_import::{NoSymbols, import_perf_data};
use whittle_model::TableBuilder;

fuzz_target!(|input: &[u8]| {
    let mut builder = TableBuilder::new();
    let _is_readable = import_perf_data(input, &mut NoSymbols, &mut builder);
    builder.into_tables().validate().expect("tables keep their promises");
});
