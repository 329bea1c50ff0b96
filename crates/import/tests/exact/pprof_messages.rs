//! pprof profiles written message by message: unreadable values, and short files that need much work.

use std::time::Duration;
use whittle_import::{ForeignImport, OpenedFile, import_pprof};
use whittle_model::{LossReason, Table, TableBuilder, Tables};
use whittle_testkit::ThreadCpu;

/// Time limit for each file, in a debug build on a busy machine. Quadratic algorithms would take minutes.
const LONGEST: Duration = Duration::from_secs(20);

/// A message under construction.
#[derive(Default, Clone)]
struct Message(Vec<u8>);

impl Message {
    fn number(mut self, field: u8, number: i64) -> Self {
        self.0.push(field << 3);
        self.0.extend(varint(number as u64));
        self
    }

    fn bytes(mut self, field: u8, bytes: &[u8]) -> Self {
        self.0.push(field << 3 | 2);
        self.0.extend(varint(bytes.len() as u64));
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u8, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    fn messages(self, field: u8, messages: impl IntoIterator<Item = Message>) -> Self {
        messages.into_iter().fold(self, |all, message| all.message(field, &message))
    }
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn pair(first: i64, second: i64) -> Message {
    Message::default().number(1, first).number(2, second)
}

/// A sample at a location with values.
fn sample(location: i64, values: &[i64]) -> Message {
    values.iter().fold(Message::default().number(1, location), |message, value| message.number(2, *value))
}

/// Location 1 with function 1, the texts that all files here start with, and further texts.
fn rest(texts: &[&[u8]]) -> Message {
    let location = Message::default().number(1, 1).message(4, &pair(1, 1));
    let message = Message::default().message(4, &location).message(5, &pair(1, 1));
    let texts = [&[&b""[..], b"f", b"cpu", b"nanoseconds", b"inuse_space", b"bytes"], texts].concat();
    texts.into_iter().fold(message, |message, text| message.bytes(6, text))
}

fn import(message: &Message) -> (Tables, ForeignImport) {
    let mut builder = TableBuilder::new();
    let start = ThreadCpu::now();
    let import = import_pprof(&OpenedFile::open(&message.0, 1 << 28).unwrap(), &mut builder).unwrap();
    assert!(start.elapsed() < LONGEST, "{:?} for {} bytes", start.elapsed(), message.0.len());
    let tables = builder.into_tables();
    tables.validate().unwrap();
    (tables, import)
}

fn of_cpu_time() -> Message {
    Message::default().message(1, &pair(2, 3))
}

#[test]
fn only_a_negative_value_that_is_used_makes_a_sample_unusable() {
    let types = of_cpu_time().message(1, &pair(4, 5));
    let samples = [sample(1, &[100, -5]), sample(1, &[10, 5]), sample(1, &[-1, 5])];
    let (tables, import) = import(&Message([types.messages(2, samples).0, rest(&[]).0].concat()));
    assert_eq!(tables.samples.duration_ns, [100, 10]);
    assert_eq!(import.losses.count(LossReason::DamagedInput), 1, "the last one is counted");
}

#[test]
fn many_samples_at_a_location_of_many_lines() {
    let lines = (0..50_000).map(|line| pair(1, line));
    let location = Message::default().number(1, 2).messages(4, lines);
    let samples = (0..50_000).map(|_| sample(2, &[1]));
    let profile = of_cpu_time().messages(2, samples).message(4, &location);
    let (tables, _) = import(&Message([profile.0, rest(&[]).0].concat()));
    assert_eq!(tables.samples.len(), 50_000);
    assert_eq!(tables.stacks.len(), 50_001);
}

#[test]
fn many_functions_of_one_long_name() {
    let functions = (1..=100_000).map(|id| pair(id, 6));
    let locations = (1..=100_000).map(|id| Message::default().number(1, id).message(4, &pair(id, 1)));
    let samples = (1..=100_000).map(|location| sample(location, &[1]));
    let profile = of_cpu_time().messages(2, samples);
    let name = vec![b'x'; 1 << 20];
    let profile = [profile.0, rest(&[&name]).0].concat();
    let (tables, _) = import(&Message(profile).messages(4, locations).messages(5, functions));
    assert_eq!(tables.samples.len(), 100_000);
}

#[test]
fn many_samples_with_one_long_label() {
    let label = Message::default().number(1, 6).number(2, 7);
    let samples = (0..100_000).map(|_| sample(1, &[1]).message(3, &label));
    let profile = of_cpu_time().messages(2, samples);
    let (tables, _) = import(&Message([profile.0, rest(&[b"thread", &vec![b'x'; 1 << 20]]).0].concat()));
    assert_eq!(tables.threads.name, ["x".repeat(1 << 20)]);
}

#[test]
fn many_types_of_values_of_one_long_name() {
    let types = (0..100_000).map(|_| pair(6, 3));
    let profile = of_cpu_time().messages(1, types).message(2, &sample(1, &vec![1; 100_001]));
    let (tables, import) = import(&Message([profile.0, rest(&[&vec![b'x'; 1 << 20]]).0].concat()));
    assert_eq!(tables.samples.duration_ns, [1]);
    assert!(import.left_out.iter().map(String::len).sum::<usize>() < 1 << 16);
}

#[test]
fn labels_name_threads_by_texts_and_numbers() {
    let label = |key: i64, text: i64, number: i64| Message::default().number(1, key).number(2, text).number(3, number);
    let samples = [
        sample(1, &[1]).message(3, &label(6, 7, 0)).message(3, &label(8, 0, 12)),
        sample(1, &[2]).message(3, &label(8, 9, 0)),
        sample(1, &[3]).message(3, &label(9, 9, 0)),
    ];
    let profile = of_cpu_time().messages(2, samples);
    let (tables, _) = import(&Message([profile.0, rest(&[b"thread", b"main", b"tid", b"13"]).0].concat()));
    assert_eq!(tables.threads.name, ["main", "", ""]);
    assert_eq!(tables.threads.thread_id, [Some(12), Some(13), None]);
}
