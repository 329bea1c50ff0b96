//! Every reader survives the inputs that the fuzzer has kept: one for each path through the reader, and one for each
//! corrected error.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use whittle_experiment::{write_plain_segment, write_segment};
use whittle_fuzzing::READERS;
use whittle_model::{SegmentId, StreamId};
use whittle_packed::{PackOptions, encode};
use whittle_testkit::{experiment_from_text, peak_memory_of};

/// Time for one input. Most inputs take less than a millisecond.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Memory for all inputs of all readers.
const MOST_BYTES: u64 = 1 << 30;

/// Maximum size of the inputs of one reader.
const MOST_CORPUS_BYTES: u64 = 200 << 10;

fn inputs(reader: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(reader);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(!inputs.is_empty(), "{} has no inputs", folder.display());
    inputs
}

#[test]
fn readers_survive_all_kept_inputs() {
    let peak = peak_memory_of(
        "readers_survive_all_kept_inputs",
        |_| {},
        |_| {
            for reader in READERS {
                for path in inputs(reader.name) {
                    let bytes = fs::read(&path).unwrap();
                    let start = Instant::now();
                    (reader.read)(&bytes);
                    let took = start.elapsed();
                    assert!(took < MOST_TIME, "{}: {took:?}", path.display());
                }
            }
        },
    );
    assert!(peak < MOST_BYTES, "{peak} bytes");
}

#[test]
fn the_inputs_stay_small() {
    for reader in READERS {
        let bytes: u64 = inputs(reader.name).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(bytes <= MOST_CORPUS_BYTES, "{}: {bytes} bytes; run `scripts/fuzz.sh`", reader.name);
    }
}

/// Writes the first inputs of whittle's own formats. The fuzzer changes them.
#[test]
#[ignore = "writes files into the repository"]
fn make_the_seeds() {
    let (mut manifest, tables) = experiment_from_text("@thread main worker\n main run\n f g\n __write[n] h");
    manifest.start_wall_ns = Some(1_763_769_600_000_000_000);
    manifest.labels = [("service".to_owned(), "checkout".to_owned())].into();
    manifest.segment = Some(SegmentId { stream: StreamId(1), sequence: 0 });
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let packed = encode(&manifest, &tables, &PackOptions::default()).bytes;
    fs::write(corpus.join("packed/seed"), packed).unwrap();
    fs::write(corpus.join("segment/seed"), write_segment(&manifest, &tables).unwrap()).unwrap();
    fs::write(corpus.join("segment/seed-plain"), write_plain_segment(&manifest, &tables).unwrap()).unwrap();
}
