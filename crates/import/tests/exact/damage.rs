//! Tests of corrupt input. For any bytes, reading must end, must not panic, and must not exceed memory limits.

use whittle_import::{CollapsedOptions, JfrImporter, JfrOptions, import_collapsed};
use whittle_model::{LossReason, Table, TableBuilder, Tables};

const CTIMER: &[u8] = include_bytes!("../fixtures/async-profiler-ctimer-jdk17.jfr");
const KILLED: &[u8] = include_bytes!("../fixtures/async-profiler-killed-jdk25.jfr");
const JDK_25: &[u8] = include_bytes!("../fixtures/jdk25.jfr");
const COLLAPSED: &str = include_str!("../fixtures/async-profiler-cpu-jdk25.collapsed");

/// Maximum size of the tables, in bytes per byte of the input. Intact recordings need one to six bytes. Short inputs
/// need more, so `SHORT_INPUT_BYTES` is added to the length of the input.
const MAX_BYTES_PER_INPUT_BYTE: usize = 200;
const SHORT_INPUT_BYTES: usize = 1 << 16;

/// Reads `bytes` in two pieces. The tables contain the readable part.
fn check(bytes: &[u8]) -> Tables {
    let mut importer = JfrImporter::new(JfrOptions::default());
    let mut builder = TableBuilder::new();
    let consumed = importer.push(&bytes[..bytes.len() / 2], &mut builder);
    let _is_recording = importer.finish(&bytes[consumed..], &mut builder);
    let tables = builder.into_tables();
    tables.validate().expect("tables of damaged input are valid, too");
    let limit = MAX_BYTES_PER_INPUT_BYTE * (bytes.len() + SHORT_INPUT_BYTES);
    assert!(table_bytes(&tables) < limit, "{} bytes for {}", table_bytes(&tables), bytes.len());
    tables
}

fn table_bytes(tables: &Tables) -> usize {
    let names = |names: &[String]| names.iter().map(String::len).sum::<usize>();
    let functions = &tables.functions;
    names(&functions.display_name)
        + names(&functions.internal_name)
        + names(&tables.binaries.path)
        + names(&tables.threads.name)
        + 100 * (functions.len() + tables.frames.len() + tables.threads.len())
        + 50 * (tables.stacks.len() + tables.samples.len())
}

/// Pseudo-random numbers, the same in every run (a linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn every_part_of_a_recording_can_be_read() {
    let mut most_samples = 0;
    for end in (0..CTIMER.len()).step_by(13) {
        most_samples = most_samples.max(check(&CTIMER[..end]).samples.len());
    }
    assert_eq!(most_samples, 94, "all samples are read when their events are complete");
}

#[test]
fn the_parts_of_a_jdk_recording_can_be_read() {
    for end in (0..JDK_25.len()).step_by(1_009) {
        check(&JDK_25[..end]);
    }
}

#[test]
fn flipped_bytes() {
    for (recording, step) in [(CTIMER, 11), (KILLED, 331), (JDK_25, 997)] {
        let mut bytes = recording.to_vec();
        for position in (0..bytes.len()).step_by(step) {
            for mask in [0x01, 0x80, 0xff] {
                bytes[position] ^= mask;
                check(&bytes);
                bytes[position] ^= mask;
            }
        }
    }
}

#[test]
fn bytes_replaced_removed_repeated_and_swapped() {
    let mut numbers = Numbers(1);
    for case in 0..600 {
        let recording = [CTIMER, CTIMER, KILLED, JDK_25][case % 4];
        let mut bytes = recording.to_vec();
        for _ in 0..=numbers.below(4) {
            let start = numbers.below(bytes.len());
            let end = (start + numbers.below(64)).min(bytes.len());
            match numbers.below(4) {
                0 => bytes[start..end].iter_mut().for_each(|byte| *byte = numbers.below(256) as u8),
                1 => drop(bytes.drain(start..end)),
                2 => bytes
                    .splice(start..start, recording[start.min(recording.len())..].iter().take(40).copied())
                    .for_each(drop),
                _ => {
                    let other = numbers.below(bytes.len());
                    bytes.swap(start, other);
                }
            }
        }
        check(&bytes);
    }
}

#[test]
fn the_chunks_behind_a_damaged_one_are_read() {
    let mut bytes = [CTIMER, CTIMER].concat();
    // The first chunk's size is wrong: it ends after the file's end.
    bytes[9] = 1;
    assert_eq!(check(&bytes).samples.len(), 2 * 94);
    // The first chunk's metadata is missing.
    let mut bytes = [CTIMER, CTIMER].concat();
    bytes[100..600].fill(0xff);
    assert_eq!(check(&bytes).samples.len(), 94);
    // The first chunk does not begin with the magic bytes of a chunk.
    let mut bytes = [CTIMER, CTIMER].concat();
    bytes[0] = b'X';
    assert_eq!(check(&bytes).samples.len(), 94);
}

#[test]
fn sizes_near_the_largest_number() {
    let mut bytes = [CTIMER, CTIMER].concat();
    for start in [0, CTIMER.len()] {
        bytes[start + 8..start + 16].fill(0xff);
        assert_eq!(bytes[start + 16..start + 32].iter().filter(|byte| **byte > 0).count(), 3, "still finished");
    }
    assert_eq!(check(&bytes).samples.len(), 2 * 94);
}

#[test]
fn what_was_lost_is_counted() {
    let mut bytes = [CTIMER, CTIMER].concat();
    bytes[100..600].fill(0xff);
    let mut builder = TableBuilder::new();
    let import = JfrImporter::new(JfrOptions::default()).finish(&bytes, &mut builder).unwrap();
    let lost = import.losses.iter().find(|loss| loss.reason == LossReason::DamagedInput).unwrap();
    assert_eq!((lost.count, lost.input_bytes), (1, Some(CTIMER.len() as u64)));
    assert_eq!(import.damage.len(), 1);
    assert_eq!(import.damage[0].what, "a chunk without metadata");

    let truncated = &CTIMER[..CTIMER.len() - 1_000];
    let import = JfrImporter::new(JfrOptions::default()).finish(truncated, &mut TableBuilder::new()).unwrap();
    let lost = import.losses.iter().find(|loss| loss.reason == LossReason::UnfinishedChunk).unwrap();
    assert!(lost.input_bytes >= Some(1_000), "{lost:?}");
}

#[test]
fn damaged_collapsed_stacks() {
    const SPECIAL: &[u8] = b"; \n[]_().:|/`k0";
    let mut numbers = Numbers(2);
    for _ in 0..100 {
        let mut bytes = COLLAPSED.as_bytes().to_vec();
        for _ in 0..100 {
            let position = numbers.below(bytes.len());
            bytes[position] = SPECIAL[numbers.below(SPECIAL.len())];
        }
        let mut builder = TableBuilder::new();
        let text = String::from_utf8_lossy(&bytes);
        import_collapsed(&text, CollapsedOptions::default(), &mut builder).unwrap();
        builder.into_tables().validate().unwrap();
    }
}
