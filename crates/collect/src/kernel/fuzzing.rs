//! For the fuzzer: records of the kernel from any bytes.

use super::layout::{Head, MAX_KERNEL_FRAMES, read};
use super::records::Record;
use super::requests::RequestNames;
use std::mem::size_of;

/// Reads one record. It has the time and the process of its header, and its parts are not longer than the bytes.
pub(crate) fn read_record(bytes: &[u8]) {
    let Some(record) = Record::parse(bytes) else { return };
    let head: Head = read(bytes).expect("a record begins with a header");
    assert_eq!((record.time_ns(), record.process_id()), (head.time_ns, head.process_id));
    assert!(record.byte_count() <= size_of::<Record>() + bytes.len());
    match &record {
        Record::Event { event, kernel_frames, .. } => {
            assert!(kernel_frames.len() <= MAX_KERNEL_FRAMES.min(usize::from(event.kernel_frame_count)));
        }
        Record::ThreadStart(life) | Record::ThreadEnd(life) => assert!(!life.name().contains('\0')),
        Record::File(seen) => assert!(!seen.name().contains('\0')),
        Record::Http(request) => {
            let name = RequestNames::default().name(request.text());
            assert!(name.is_none_or(|name| !name.contains(['?', '\r', '\n', '\0'])));
        }
        Record::Item(item) => {
            let name = RequestNames::default().marked(item);
            assert!(!name.contains(['\r', '\n', '\0']) && name.len() <= 2 * item.text().len() + 16, "{name}");
        }
        Record::Statement(statement) => {
            let name = RequestNames::default().statement(statement);
            assert!(!name.contains(['\r', '\n', '\0']), "{name}");
        }
        Record::VirtualWait(wait) => assert!(!wait.name().contains('\0')),
        Record::Pinned(wait) => assert!(!wait.name().contains('\0')),
        Record::Part(_) | Record::Wake(_) | Record::Delivery(_) | Record::UserStack { .. } | Record::Exec(_) => {}
    }
    assert_eq!(record.is_life(), matches!(record, Record::ThreadStart(_) | Record::ThreadEnd(_) | Record::Exec(_)));
}
