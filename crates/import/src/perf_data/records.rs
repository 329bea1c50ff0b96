//! The records of a `perf.data` file: samples, and the records that are needed to understand them.

use super::bytes::{Bytes, until_zero};
use super::header::{Event, Header};

/// Kinds of records that are read.
pub(super) mod kind {
    pub(in super::super) const MMAP: u32 = 1;
    pub(in super::super) const LOST: u32 = 2;
    pub(in super::super) const COMM: u32 = 3;
    pub(in super::super) const FORK: u32 = 7;
    pub(in super::super) const SAMPLE: u32 = 9;
    pub(in super::super) const MMAP2: u32 = 10;
    pub(in super::super) const LOST_SAMPLES: u32 = 13;
    pub(in super::super) const HEADER_ATTR: u32 = 64;
    pub(in super::super) const AUXTRACE: u32 = 71;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED2: u32 = 83;
}

/// `PERF_SAMPLE_…`: the fields of a sample.
mod sample_bit {
    pub(super) const IP: u64 = 1;
    pub(super) const TID: u64 = 1 << 1;
    pub(super) const TIME: u64 = 1 << 2;
    pub(super) const ADDR: u64 = 1 << 3;
    pub(super) const READ: u64 = 1 << 4;
    pub(super) const CALLCHAIN: u64 = 1 << 5;
    pub(super) const ID: u64 = 1 << 6;
    pub(super) const CPU: u64 = 1 << 7;
    pub(super) const PERIOD: u64 = 1 << 8;
    pub(super) const STREAM_ID: u64 = 1 << 9;
    pub(super) const IDENTIFIER: u64 = 1 << 16;
}

/// One unparsed record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u32,
    pub(super) misc: u16,
    /// The content after the record's header.
    pub(super) body: &'a [u8],
}

/// Reads records up to the first unreadable record.
#[derive(Debug)]
pub(super) struct Records<'a> {
    bytes: Bytes<'a>,
}

impl<'a> Records<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { bytes: Bytes::new(data) }
    }

    /// Bytes that were not read.
    pub(super) fn rest_bytes(&self) -> usize {
        self.bytes.rest.len()
    }

    fn read(&mut self) -> Option<Record<'a>> {
        let mut bytes = self.bytes;
        let (kind, misc, size) = (bytes.u32()?, bytes.u16()?, bytes.u16()?);
        let body = bytes.take(usize::from(size).checked_sub(8)?)?;
        if kind == kind::AUXTRACE {
            // The size of this record does not include the trace after the record.
            let trace_bytes = Bytes::new(body).u64()?;
            bytes.take(usize::try_from(trace_bytes).ok()?)?;
        }
        self.bytes = bytes;
        Some(Record { kind, misc, body })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read()
    }
}

/// The fields of a sample.
#[derive(Debug, Default)]
pub(super) struct Sample<'a> {
    pub(super) instruction: Option<u64>,
    pub(super) process_id: Option<u32>,
    pub(super) thread_id: Option<u32>,
    pub(super) time_ns: Option<u64>,
    pub(super) period: Option<u64>,
    /// Addresses and context markers, leaf first, eight bytes each.
    pub(super) callchain: &'a [u8],
}

impl<'a> Sample<'a> {
    /// Reads the fields that samples of `event` have, up to the call chain.
    pub(super) fn parse(body: &'a [u8], event: &Event) -> Option<Self> {
        let mut bytes = Bytes::new(body);
        let has = |bit| event.sample_type & bit != 0;
        let mut sample = Self::default();
        if has(sample_bit::IDENTIFIER) {
            bytes.u64()?;
        }
        if has(sample_bit::IP) {
            sample.instruction = Some(bytes.u64()?);
        }
        if has(sample_bit::TID) {
            sample.process_id = Some(bytes.u32()?);
            sample.thread_id = Some(bytes.u32()?);
        }
        if has(sample_bit::TIME) {
            sample.time_ns = Some(bytes.u64()?);
        }
        for bit in [sample_bit::ADDR, sample_bit::ID, sample_bit::STREAM_ID, sample_bit::CPU] {
            if has(bit) {
                bytes.u64()?;
            }
        }
        if has(sample_bit::PERIOD) {
            sample.period = Some(bytes.u64()?);
        }
        if has(sample_bit::READ) {
            skip_read_values(&mut bytes, event.read_format)?;
        }
        if has(sample_bit::CALLCHAIN) {
            let count = usize::try_from(bytes.u64()?).ok()?;
            sample.callchain = bytes.take(count.checked_mul(8)?)?;
        }
        Some(sample)
    }

    /// The addresses and context markers, leaf first.
    pub(super) fn addresses(&self) -> impl Iterator<Item = u64> + 'a {
        let mut bytes = Bytes::new(self.callchain);
        std::iter::from_fn(move || bytes.u64())
    }
}

/// True if samples of an event have a period.
pub(super) fn has_period(event: &Event) -> bool {
    event.sample_type & sample_bit::PERIOD != 0
}

/// Skips the counter values that a sample can contain.
fn skip_read_values(bytes: &mut Bytes<'_>, read_format: u64) -> Option<()> {
    let has = |bit: u32| usize::from(read_format & 1 << bit != 0);
    let (times, id_and_lost) = (has(0) + has(1), has(2) + has(4));
    let words = if has(3) == 1 {
        let count = usize::try_from(bytes.u64()?).ok()?;
        count.checked_mul(1 + id_and_lost)?.checked_add(times)?
    } else {
        1 + times + id_and_lost
    };
    bytes.take(words.checked_mul(8)?).map(drop)
}

/// The event of a record. If there are several events, the id in the record determines the event.
pub(super) fn event_of(record: &Record<'_>, header: &Header) -> Option<usize> {
    let first = header.events.first()?;
    if header.events.len() == 1 {
        return Some(0);
    }
    let has = |bit| first.sample_type & bit != 0;
    let position = match () {
        () if has(sample_bit::IDENTIFIER) => 0,
        () if has(sample_bit::ID) => {
            let before = [sample_bit::IP, sample_bit::TID, sample_bit::TIME, sample_bit::ADDR];
            8 * before.into_iter().filter(|bit| has(*bit)).count()
        }
        () => return Some(0),
    };
    let id = Bytes::at(record.body, position).u64()?;
    header.event_of_id.get(&id).copied()
}

/// The time of a record; 0: unknown. Samples have a field for the time. Other records have this field at their end.
pub(super) fn time_ns(record: &Record<'_>, header: &Header) -> u64 {
    let Some(event) = header.events.first() else { return 0 };
    let has = |bit| event.sample_type & bit != 0;
    if !has(sample_bit::TIME) {
        return 0;
    }
    let count = |bits: &[u64]| 8 * bits.iter().filter(|bit| has(**bit)).count();
    let position = if record.kind == kind::SAMPLE {
        Some(count(&[sample_bit::IDENTIFIER, sample_bit::IP, sample_bit::TID]))
    } else if event.has_sample_ids && record.kind < kind::HEADER_ATTR {
        let from_time =
            [sample_bit::TIME, sample_bit::ID, sample_bit::STREAM_ID, sample_bit::CPU, sample_bit::IDENTIFIER];
        record.body.len().checked_sub(count(&from_time))
    } else {
        None
    };
    position.and_then(|position| Bytes::at(record.body, position).u64()).unwrap_or(0)
}

/// A file that was mapped into a process.
#[derive(Debug)]
pub(super) struct Mapped<'a> {
    pub(super) process_id: u32,
    pub(super) start: u64,
    pub(super) length: u64,
    /// Position in the file.
    pub(super) file_offset: u64,
    pub(super) path: &'a [u8],
}

impl<'a> Mapped<'a> {
    pub(super) fn parse(record: &Record<'a>) -> Option<Self> {
        let mut bytes = Bytes::new(record.body);
        let (process_id, _thread_id) = (bytes.u32()?, bytes.u32()?);
        let (start, length, file_offset) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
        if record.kind == kind::MMAP2 {
            // Device and inode, or build id; protection and flags.
            bytes.take(32)?;
        }
        Some(Self { process_id, start, length, file_offset, path: until_zero(bytes.rest) })
    }
}
