//! Whittle's own files.

use bytes::Bytes;
use std::sync::Once;
use whittle_catalogue::{FLEET_TABLES, Snapshot};
use whittle_experiment::{SegmentName, day_name, path_part, read_segment};
use whittle_model::{SegmentId, StreamId};
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

/// Reads the name of a segment, which the agent finds in its spool and the fleet in a store. A name that is written from
/// the result has the same result.
pub(crate) fn segment_name(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let part = path_part(&text);
    assert!(part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte)) && !part.starts_with('.'));
    let Some(name) = SegmentName::parse(&text) else { return };
    let (stream, sequence, content) = (name.id.stream, name.id.sequence, StreamId(name.content.0));
    let day = day_name(name.start_wall_ns);
    let again = format!("segments/{part}/{day}/{}-{stream}-{sequence}-{content}.tar", name.start_wall_ns);
    assert_eq!(SegmentName::parse(&again), Some(name));
}

/// Reads a snapshot of the fleet's catalogue. Its numbers can be used in calculations, and a changed snapshot can be read
/// again.
pub(crate) fn catalogue(bytes: &[u8]) {
    let Ok(mut snapshot) = Snapshot::from_json(bytes) else { return };
    let bytes_of = |table| snapshot.files_of(table, None, (0, i64::MAX)).map(|file| file.bytes).sum::<u64>();
    let total: u64 = FLEET_TABLES.into_iter().map(bytes_of).sum();
    assert!(snapshot.files.len() as u64 <= bytes.len() as u64 && i64::try_from(total).is_ok());
    snapshot.version += 1;
    for sequence in [0, 1, u64::MAX, u64::MAX - 1] {
        let id = SegmentId { stream: StreamId(1), sequence };
        let was_known = snapshot.streams.contains(id);
        assert_eq!(snapshot.streams.add(id, 1), !was_known);
        assert!(snapshot.streams.contains(id));
    }
    assert_eq!(Snapshot::from_json(&snapshot.to_json()).expect("a snapshot that was written can be read"), snapshot);
}
