//! Tests that written segments can be read, and that corrupt segments are detected.

use bytes::Bytes;
use whittle_experiment::{Segment, SegmentName, read_segment, segment_path, write_segment};
use whittle_model::{Manifest, SegmentId, StreamId, Tables};
use whittle_testkit::experiment_from_text;

fn segment() -> (Manifest, Tables) {
    let (mut manifest, tables) = experiment_from_text("main > parse > read");
    manifest.start_wall_ns = Some(1_763_769_600_000_000_000);
    manifest.labels = [("service", "checkout"), ("host", "a")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    manifest.segment = Some(SegmentId { stream: StreamId(u128::MAX - 1), sequence: 3 });
    (manifest, tables)
}

#[test]
fn a_segment_is_read_as_it_was_written() {
    let (manifest, tables) = segment();
    let bytes = write_segment(&manifest, &tables).unwrap();
    assert_eq!(bytes, write_segment(&manifest, &tables).unwrap(), "equal segments are equal bytes");
    let path = segment_path(&manifest, &bytes).unwrap();
    assert!(path.starts_with("segments/checkout/2025-11-22/1763769600000000000-"), "{path}");
    assert_eq!(SegmentName::parse(&path).unwrap().id, manifest.segment.unwrap());
    assert_eq!(read_segment(&Bytes::from(bytes)).unwrap(), Segment { manifest, tables });
}

#[test]
fn unpacked_it_is_an_experiment() {
    let (manifest, tables) = segment();
    let folder = tempfile::tempdir().unwrap();
    let bytes = write_segment(&manifest, &tables).unwrap();
    tar::Archive::new(bytes.as_slice()).unpack(folder.path()).unwrap();
    let experiment = whittle_experiment::read(folder.path()).unwrap();
    assert_eq!((experiment.manifest, experiment.tables), (manifest, tables));
}

/// For any changed or removed byte, the reader returns an error or valid tables.
#[test]
fn damage_is_survived() {
    let (manifest, tables) = segment();
    let bytes = write_segment(&manifest, &tables).unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    let step = bytes.len() / 400 + 1;
    for place in (0..bytes.len()).step_by(step) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        for damaged in [damaged, bytes[..place].to_vec()] {
            if let Ok(segment) = read_segment(&Bytes::from(damaged)) {
                segment.tables.validate().unwrap();
            }
        }
    }
    let _ = std::panic::take_hook();
}
