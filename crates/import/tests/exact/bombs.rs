//! Small files that would become very large in memory. Whittle refuses them by name, and needs little memory for this.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use whittle_import::{
    ImportError, ImportOptions, JfrImporter, JfrOptions, MAX_CHUNK_BYTES, OpenedFile, RecordingError, import,
};
use whittle_model::TableBuilder;
use whittle_testkit::peak_memory_of;

/// The usual memory limit.
const MAX_BYTES: usize = 2 << 30;

/// The header of a chunk, at the start of a file with a hole of 1 GiB.
fn write_sparse(path: &Path, checkpoint_position: u64) {
    const LENGTH: u64 = 1 << 30;
    let mut header = b"FLR\0\0\x02\0\x01".to_vec();
    for value in [LENGTH, checkpoint_position, 68, 1_000, 0, 500, 1_000_000_000] {
        header.extend(value.to_be_bytes());
    }
    header.extend([0, 0, 0, 1]);
    fs::write(path, header).unwrap();
    File::options().write(true).open(path).unwrap().set_len(LENGTH).unwrap();
}

#[test]
fn a_sparse_recording_takes_no_memory() {
    let prepare = |folder: &Path| {
        write_sparse(&folder.join("finished.jfr"), 100);
        write_sparse(&folder.join("unfinished.jfr"), 0);
    };
    let peak = peak_memory_of("bombs::a_sparse_recording_takes_no_memory", prepare, |folder| {
        for name in ["finished.jfr", "unfinished.jfr"] {
            let mut file = File::open(folder.join(name)).unwrap();
            let importer = JfrImporter::new(JfrOptions::default());
            let read = importer.read(&mut file, MAX_CHUNK_BYTES, &mut TableBuilder::new());
            let error = read.unwrap_err();
            let is_named = matches!(error, RecordingError::Import(ImportError::ChunkTooLarge { position: 0, .. }));
            assert!(is_named, "{name}: {error}");
        }
    });
    assert!(peak < 64 << 20, "{peak}");
}

/// Compresses `unit`, repeated to `total` bytes, between `head` and `tail`.
fn packed(head: &[u8], unit: &[u8], total: usize, tail: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let block = unit.repeat((1 << 20) / unit.len());
    encoder.write_all(head).unwrap();
    (0..total / block.len()).for_each(|_| encoder.write_all(&block).unwrap());
    encoder.write_all(tail).unwrap();
    encoder.finish().unwrap()
}

/// The start of a pprof profile: a sample type and two texts.
const PPROF: &[u8] = b"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu";

#[test]
fn packed_repetitions_are_refused_before_they_are_parsed() {
    let prepare = |folder: &Path| {
        let bombs = [
            ("samples", packed(PPROF, b"\x12\x00", 200 << 20, b"")),
            ("resources", packed(b"", b"\x0a\x00", 200 << 20, b"")),
            ("stack", packed(b"", b"a;", 200 << 20, b"a 1\n")),
            ("recording", packed(b"FLR\0", b"\0", 200 << 20, b"")),
        ];
        bombs.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
    };
    let peak = peak_memory_of("bombs::packed_repetitions_are_refused_before_they_are_parsed", prepare, |folder| {
        for name in ["samples", "resources", "stack", "recording"] {
            let bytes = fs::read(folder.join(name)).unwrap();
            let opened = OpenedFile::open(&bytes, MAX_BYTES);
            // The message must not contain the bytes.
            let error = opened.err().unwrap_or_else(|| panic!("{name}: {} packed bytes are accepted", bytes.len()));
            assert!(matches!(error, ImportError::OnlyRepetitions { .. }), "{name}: {error}");
        }
    });
    assert!(peak < 256 << 20, "{peak}");
}

#[test]
fn large_messages_count_with_the_memory_that_they_need() {
    let samples = [PPROF, &b"\x12\x00".repeat(1 << 20)].concat();
    let resources = b"\x0a\x00".repeat(1 << 20);
    for bytes in [samples, resources] {
        let error = OpenedFile::open(&bytes, 10 << 20).unwrap_err();
        assert!(matches!(error, ImportError::TooLarge { needed: Some(_), .. }), "{error}");
        assert!(OpenedFile::open(&bytes, 20 << 20).is_ok());
    }
}

/// One line with 20 million frames, 40 MB.
#[test]
fn a_stack_with_millions_of_frames_is_refused() {
    let text = ["a;".repeat(20_000_000), "a 1\n".to_owned()].concat();
    let error = import(text.as_bytes(), ImportOptions::default()).unwrap_err();
    assert!(matches!(error, ImportError::TooManyStacks { .. }), "{error}");
}
