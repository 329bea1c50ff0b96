//! Whittle's own files.

use bytes::Bytes;
use std::sync::Once;
use whittle_experiment::read_segment;
use whittle_packed::{PackOptions, decode, encode};

/// Unpacks a packed experiment. If this succeeds, the tables are valid and can be packed again.
pub(crate) fn packed(bytes: &[u8]) {
    let Ok(unpacked) = decode(bytes) else { return };
    unpacked.tables.validate().expect("tables keep their promises");
    let again = encode(&unpacked.manifest, &unpacked.tables, &PackOptions::default());
    decode(&again.bytes).expect("what was packed can be read");
}

/// Reads a segment: a manifest and Parquet tables in a tar file. Experiments have the same files.
pub(crate) fn segment(bytes: &[u8]) {
    static QUIET: Once = Once::new();
    // The Parquet library panics on some corrupt files, and whittle catches these panics. The fuzzer must not end.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if let Ok(segment) = read_segment(&Bytes::copy_from_slice(bytes)) {
        segment.tables.validate().expect("tables keep their promises");
    }
}
