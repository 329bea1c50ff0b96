//! Calls one reader with inputs of libFuzzer. The variable `WHITTLE_READER` names the reader. One program for all readers
//! is linked once.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static READ: OnceLock<fn(&[u8])> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let read = READ.get_or_init(|| {
        let name = std::env::var("WHITTLE_READER").unwrap_or_default();
        let reader = whittle_fuzzing::reader(&name);
        reader.unwrap_or_else(|| panic!("WHITTLE_READER is \"{name}\", which is not the name of a reader")).read
    });
    read(bytes);
});
