//! Reads a recording with the crate jfrs and adds up the depths of its execution samples. Whittle's
//! reader does more work: it interns every frame and stack.
//!
//! Usage: `jfrs-reader RECORDING.jfr`

use jfrs::reader::JfrReader;
use jfrs::reader::value_descriptor::{Primitive, ValueDescriptor};
use std::fs::File;

fn main() {
    let path = std::env::args().nth(1).expect("usage: jfrs-reader RECORDING.jfr");
    let file = File::open(&path).expect("the recording can be opened");
    let (mut sample_count, mut frame_count) = (0_u64, 0_u64);
    for (mut reader, chunk) in JfrReader::new(file).chunks().map(|chunk| chunk.expect("the chunk is intact")) {
        for event in reader.events(&chunk).map(|event| event.expect("the event is intact")) {
            if event.class.name() != "jdk.ExecutionSample" {
                continue;
            }
            sample_count += 1;
            let frames = event.value().get_field("stackTrace").and_then(|trace| trace.get_field("frames"));
            if let Some(ValueDescriptor::Array(frames)) = frames.map(|frames| frames.value) {
                for frame in frames {
                    if let ValueDescriptor::Object(object) = frame
                        && !matches!(object.fields.first(), Some(ValueDescriptor::Primitive(Primitive::NullString)))
                    {
                        frame_count += 1;
                    }
                }
            }
        }
    }
    println!("{sample_count} samples, {frame_count} frames");
}
