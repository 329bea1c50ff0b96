//! Any bytes as a profile of the Firefox Profiler.
//!
//! Seeds: the files of this format in `crates/import/tests/fixtures`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_import::import_firefox;
use whittle_model::TableBuilder;

fuzz_target!(|input: &[u8]| {
    let mut builder = TableBuilder::new();
    let _is_readable = import_firefox(input, &mut builder);
    builder.into_tables().validate().expect("tables keep their promises");
});
