//! Profiles in the format of the agents' pushes, and the messages that contain these profiles.

use whittle_experiment::Segment;
use whittle_model::{EventKind, Table};

pub(crate) const OTLP_4_4: &[u8] = include_bytes!("../../../import/tests/fixtures/otlp/async-profiler-4.4-cpu.otlp");
pub(crate) const OTLP_4_6: &[u8] = include_bytes!("../../../import/tests/fixtures/otlp/async-profiler-4.6-cpu.otlp");

/// The gRPC method of OpenTelemetry that receives profiles.
pub(crate) const EXPORT: &str = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

/// A protobuf field of bytes.
pub(crate) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut message = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        message.push(length as u8 | 0x80);
        length >>= 7;
    }
    message.push(length as u8);
    [message, bytes.to_vec()].concat()
}

/// A resource with text attributes, as a field of the message that contains a resource's profiles. Protobuf merges
/// repeated messages, so this field can be appended to the output of a profiler.
fn resource(attributes: &[(&str, &str)]) -> Vec<u8> {
    let attribute = |(key, value): &(&str, &str)| {
        let value = field(1, value.as_bytes());
        field(1, &[field(1, key.as_bytes()), field(2, &value)].concat())
    };
    field(1, &attributes.iter().flat_map(attribute).collect::<Vec<u8>>())
}

/// Output of async-profiler with this resource. Each outermost message of a request contains either the profiles of one
/// resource or the dictionary.
pub(crate) fn of_resource(profiles: &[u8], attributes: &[(&str, &str)]) -> Vec<u8> {
    let with_resource = |(number, message): (u8, &[u8])| {
        let resource = if number == 1 { resource(attributes) } else { Vec::new() };
        field(number, &[&resource, message].concat())
    };
    messages(profiles).flat_map(with_resource).collect()
}

/// The numbers and bytes of a request's fields. All fields are messages.
pub(crate) fn messages(mut rest: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (key, after) = rest.split_first()?;
        let digits = after.iter().position(|byte| *byte < 0x80)? + 1;
        let length = (0..digits).fold(0, |sum, digit| sum | usize::from(after[digit] & 0x7f) << (7 * digit));
        let message = &after[digits..digits + length];
        rest = &after[digits + length..];
        Some((key >> 3, message))
    })
}

/// The CPU time of a segment's samples.
pub(crate) fn cpu_ns(segment: &Segment) -> u64 {
    let samples = &segment.tables.samples;
    (0..samples.len()).filter(|row| samples.event[*row] == EventKind::Cpu).map(|row| samples.duration_ns[row]).sum()
}
