//! Imports any text as collapsed stacks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_import::{CollapsedOptions, import_collapsed};
use whittle_model::TableBuilder;

fuzz_target!(|text: &str| {
    let mut builder = TableBuilder::new();
    let _has_stacks = import_collapsed(text, CollapsedOptions::default(), &mut builder);
    builder.into_tables().validate().expect("tables keep their promises");
});
