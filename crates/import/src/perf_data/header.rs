//! The header of a `perf.data` file: position of the records, and description of the events.
//!
//! ```text
//! "PERFILE2" │ size │ attr size │ attrs (offset, size) │ data (offset, size) │ … │ feature bits
//! "PERFILE2" │ 16   │ records …                                      written to a pipe
//! ```
//!
//! After the data, there is a pair (offset, size) for each feature bit.

use super::bytes::{Bytes, until_zero};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8; 8] = b"PERFILE2";
/// The first bytes of a file from a machine with the opposite byte order.
pub(super) const MAGIC_SWAPPED: &[u8; 8] = b"2ELIFREP";

/// Size of the header of a file that was written to a pipe.
const PIPE_HEAD_BYTES: u64 = 16;
/// Position of the feature bits in the header.
const FEATURES_AT: usize = 72;
/// Size of an (offset, size).
const SECTION_BYTES: usize = 16;

/// Feature bits that are read.
mod feature {
    pub(super) const BUILD_ID: u32 = 2;
    pub(super) const VERSION: u32 = 5;
    pub(super) const COMMAND_LINE: u32 = 11;
    pub(super) const EVENT_DESCRIPTION: u32 = 12;
}

/// The header of a file.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) events: Vec<Event>,
    /// The event's position in `events`, by the id in the samples.
    pub(super) event_of_id: FxHashMap<u64, usize>,
    /// Position of the records.
    pub(super) data: Range<usize>,
    /// Build ids by file path, in lower-case hexadecimal.
    pub(super) build_ids: FxHashMap<String, String>,
    pub(super) version: String,
    pub(super) command: Vec<String>,
}

/// A sampled event, and the fields of its samples.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The event's name in perf; empty: unknown.
    pub(super) name: String,
    /// A value of `PERF_TYPE_…`.
    pub(super) kind: u32,
    pub(super) config: u64,
    /// The period. With `is_frequency`, the requested samples per second.
    pub(super) period: u64,
    pub(super) is_frequency: bool,
    /// `PERF_SAMPLE_…` bits: the fields of samples.
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    /// True if records that are not samples end with the fields that identify a sample.
    pub(super) has_sample_ids: bool,
}

impl Event {
    /// Reads an event from a `perf_event_attr`.
    pub(super) fn parse(attr: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(attr);
        let (kind, _size, config, period) = (bytes.u32()?, bytes.u32()?, bytes.u64()?, bytes.u64()?);
        let (sample_type, read_format, flags) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
        let (is_frequency, has_sample_ids) = (flags & 1 << 10 != 0, flags & 1 << 18 != 0);
        let name = String::new();
        Some(Self { name, kind, config, period, is_frequency, sample_type, read_format, has_sample_ids })
    }
}

impl Header {
    /// Reads the header of a file.
    pub(super) fn parse(file: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(file.strip_prefix(MAGIC)?);
        let (size, attr_size) = (bytes.u64()?, bytes.u64());
        if size == PIPE_HEAD_BYTES {
            return Some(Self { data: PIPE_HEAD_BYTES as usize..file.len(), ..Self::default() });
        }
        let attr_size = usize::try_from(attr_size?).ok()?;
        let (attrs, data) = (section(&mut bytes, file.len())?, section(&mut bytes, file.len())?);
        let mut header = Self::default();
        for attr in file[attrs].chunks_exact(attr_size.max(SECTION_BYTES)) {
            let (attr, ids) = attr.split_at(attr.len() - SECTION_BYTES);
            if let Some(event) = Event::parse(attr) {
                let ids = section(&mut Bytes::new(ids), file.len()).unwrap_or(0..0);
                header.add_event(event, &file[ids]);
            }
        }
        // A file that perf could not finish has a data size of 0.
        header.data = if data.is_empty() { data.start..file.len() } else { data.clone() };
        if !data.is_empty() {
            header.read_features(file, data.end);
        }
        Some(header)
    }

    /// Adds an event with the ids of its samples.
    pub(super) fn add_event(&mut self, event: Event, ids: &[u8]) {
        let ids = ids.chunks_exact(8).map(|id| id.iter().rev().fold(0, |id: u64, byte| id << 8 | u64::from(*byte)));
        self.event_of_id.extend(ids.map(|id| (id, self.events.len())));
        self.events.push(event);
    }

    fn read_features(&mut self, file: &[u8], data_end: usize) {
        let mut sections = Bytes::at(file, data_end);
        let mut bits = Bytes::at(file, FEATURES_AT);
        let Some(bits) = bits.u64() else { return };
        for bit in (0..u64::BITS).filter(|bit| bits & 1 << bit != 0) {
            let Some(place) = section(&mut sections, file.len()) else { return };
            let content = &file[place];
            match bit {
                feature::BUILD_ID => self.build_ids = build_ids(content),
                feature::VERSION => self.version = Bytes::new(content).string().map(text).unwrap_or_default(),
                feature::COMMAND_LINE => self.command = command_line(content).unwrap_or_default(),
                feature::EVENT_DESCRIPTION => self.name_events(content).unwrap_or_default(),
                _ => {}
            }
        }
    }

    /// Reads the events' names from the feature that repeats the events in the same order.
    fn name_events(&mut self, content: &[u8]) -> Option<()> {
        let mut bytes = Bytes::new(content);
        let (count, attr_size) = (bytes.u32()?, bytes.u32()?);
        for event in self.events.iter_mut().take(count as usize) {
            bytes.take(attr_size as usize)?;
            let id_count = bytes.u32()?;
            event.name = text(bytes.string()?);
            bytes.take((id_count as usize).checked_mul(8)?)?;
        }
        Some(())
    }
}

/// An (offset, size) as a range of the file, limited to the file's end.
fn section(bytes: &mut Bytes<'_>, file_length: usize) -> Option<Range<usize>> {
    let (start, size) = (bytes.u64()?, bytes.u64()?);
    let cut = |position: u64| usize::try_from(position).unwrap_or(usize::MAX).min(file_length);
    Some(cut(start)..cut(start.saturating_add(size)))
}

fn command_line(content: &[u8]) -> Option<Vec<String>> {
    let mut bytes = Bytes::new(content);
    let count = bytes.u32()?;
    (0..count).map_while(|_| bytes.string().map(|word| Some(text(word)))).collect()
}

/// Reads the build ids by file path. A record has a header, a process id, a build id with its length in byte 20, and a
/// file name.
fn build_ids(content: &[u8]) -> FxHashMap<String, String> {
    let mut bytes = Bytes::new(content);
    let mut found = FxHashMap::default();
    while let Some(record) = build_id_record(&mut bytes) {
        let mut record = Bytes::new(record);
        let (Some(_process_id), Some(id)) = (record.u32(), record.take(24)) else { break };
        let length = if (1..=20).contains(&id[20]) { usize::from(id[20]) } else { 20 };
        let hexadecimal: String = id[..length].iter().map(|byte| format!("{byte:02x}")).collect();
        found.entry(text(until_zero(record.rest))).or_insert(hexadecimal);
    }
    found
}

fn build_id_record<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let (_kind, _misc, size) = (bytes.u32()?, bytes.u16()?, bytes.u16()?);
    bytes.take(usize::from(size).checked_sub(8)?)
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
