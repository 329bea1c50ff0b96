//! Unpacks any bytes as a packed experiment. If this succeeds, the tables are valid and can be packed again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_packed::{PackOptions, decode, encode};

fuzz_target!(|bytes: &[u8]| {
    let Ok(unpacked) = decode(bytes) else { return };
    unpacked.tables.validate().expect("tables keep their promises");
    let again = encode(&unpacked.manifest, &unpacked.tables, &PackOptions::default());
    decode(&again.bytes).expect("what was packed can be read");
});
