//! Finds the positions of a chunk's events in a first pass that reads only sizes and types.
//!
//! A chunk is a sequence of events. Each event begins with its size. Constant pools and metadata are also events. The
//! pass finds constant pools, metadata, and the intact parts of the chunk. If a size is impossible, reading continues
//! at the next known position of metadata or a checkpoint.

use super::bytes::{Cursor, Malformed};
use super::chunk_header::{CHUNK_HEADER_BYTES, ChunkHeader};
use std::ops::Range;

/// Type id of the metadata event in every chunk.
const METADATA_TYPE: u64 = 0;
/// Type id of checkpoint events in every chunk.
const CHECKPOINT_TYPE: u64 = 1;

/// One event of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    /// Id of the event's type.
    pub(crate) type_id: u64,
    /// Position of the event's fields.
    pub(crate) body: usize,
    /// Position of the next event.
    pub(crate) end: usize,
}

impl Event {
    /// Reads size and type of the event at `position`. The event must end within `bytes`.
    #[inline]
    pub(crate) fn at(bytes: &[u8], position: usize) -> Result<Self, Malformed> {
        let mut cursor = Cursor::at(bytes, position);
        let size = cursor.varint()?;
        let type_id = cursor.varint()?;
        let body = cursor.position();
        let end = usize::try_from(size).ok().and_then(|size| position.checked_add(size));
        match end {
            Some(end) if end >= body && end <= bytes.len() => Ok(Self { type_id, body, end }),
            _ => Err(Malformed { position, wanted: "an event's size" }),
        }
    }
}

/// The outcome of the first pass over a chunk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EventIndex {
    /// Parts of the chunk that contain complete events, in order.
    pub(crate) intact: Vec<Range<usize>>,
    /// The parts between the intact parts.
    pub(crate) damaged: Vec<Range<usize>>,
    /// The last metadata event. The JDK repeats the metadata when it adds types.
    pub(crate) metadata: Option<Event>,
    /// The checkpoint events, in order.
    pub(crate) checkpoints: Vec<Event>,
}

impl EventIndex {
    /// Reads the sizes and types of all events of the chunk `bytes`.
    pub(crate) fn new(bytes: &[u8], header: &ChunkHeader) -> Self {
        let mut index = Self::default();
        let mut start = CHUNK_HEADER_BYTES.min(bytes.len());
        let mut resume_positions: Option<Vec<usize>> = None;
        while start < bytes.len() {
            let end = index.add_events(bytes, start);
            if end > start {
                index.intact.push(start..end);
            }
            if end == bytes.len() {
                break;
            }
            let positions = resume_positions.get_or_insert_with(|| resume_positions_of(bytes, header));
            let next = positions.partition_point(|position| *position <= end);
            let next = positions.get(next).copied().unwrap_or(bytes.len());
            index.damaged.push(end..next);
            start = next;
        }
        index
    }

    /// Adds events, beginning at `start`. Returns the first position without an event.
    fn add_events(&mut self, bytes: &[u8], start: usize) -> usize {
        let mut position = start;
        while position < bytes.len() {
            let Ok(event) = Event::at(bytes, position) else { break };
            match event.type_id {
                METADATA_TYPE => self.metadata = Some(event),
                CHECKPOINT_TYPE => self.checkpoints.push(event),
                _ => {}
            }
            position = event.end;
        }
        position
    }

    /// The events of the intact parts, in order.
    pub(crate) fn events<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = Event> + 'b {
        self.intact.iter().flat_map(move |span| {
            let mut position = span.start;
            std::iter::from_fn(move || {
                let event = (position < span.end).then(|| Event::at(bytes, position).ok()).flatten()?;
                position = event.end;
                Some(event)
            })
        })
    }
}

/// Positions of metadata and checkpoints, in order. The header and the checkpoints contain these positions.
fn resume_positions_of(bytes: &[u8], header: &ChunkHeader) -> Vec<usize> {
    let inside = |position: u64| usize::try_from(position).ok().filter(|position| *position < bytes.len());
    let mut positions: Vec<usize> = inside(header.metadata_position).into_iter().collect();
    let mut next = inside(header.checkpoint_position);
    while let Some(position) = next {
        let Ok(event) = Event::at(bytes, position) else { break };
        if event.type_id != CHECKPOINT_TYPE {
            break;
        }
        positions.push(position);
        // The chain must lead backwards, because reading a cycle would never end.
        next = checkpoint_delta(bytes, &event)
            .filter(|delta| *delta < 0)
            .and_then(|delta| position.checked_add_signed(isize::try_from(delta).ok()?));
    }
    positions.sort_unstable();
    positions
}

/// Distance from a checkpoint to the previous checkpoint; 0 for the first checkpoint.
fn checkpoint_delta(bytes: &[u8], checkpoint: &Event) -> Option<i64> {
    let mut cursor = Cursor::at(bytes, checkpoint.body);
    cursor.skip_varints(2).ok()?;
    cursor.varint().ok().map(|delta| delta as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(checkpoint_position: u64) -> ChunkHeader {
        let mut bytes = b"FLR\0\0\x02\0\x01".to_vec();
        for value in [1_000_u64, checkpoint_position, 68, 0, 0, 0, 1] {
            bytes.extend(value.to_be_bytes());
        }
        bytes.extend([0, 0, 0, 1]);
        ChunkHeader::parse(&bytes).unwrap()
    }

    fn chunk(events: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![0; CHUNK_HEADER_BYTES];
        bytes.extend(events.concat());
        bytes
    }

    fn pairs(ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
        ranges.iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn an_intact_chunk_is_one_span() {
        let bytes = chunk(&[&[3, 0, 9], &[4, 101, 1, 1], &[6, 1, 0, 0, 0, 0]]);
        let index = EventIndex::new(&bytes, &header(75));
        assert_eq!(pairs(&index.intact), [(68, 81)]);
        assert!(index.damaged.is_empty());
        assert_eq!(index.metadata, Some(Event { type_id: 0, body: 70, end: 71 }));
        assert_eq!(index.checkpoints, [Event { type_id: 1, body: 77, end: 81 }]);
        assert_eq!(index.events(&bytes).count(), 3);
    }

    #[test]
    fn reading_goes_on_at_the_next_checkpoint() {
        let bytes = chunk(&[&[3, 0, 9], &[0, 101, 1, 1], &[6, 1, 0, 0, 0, 0], &[3, 101, 7]]);
        let index = EventIndex::new(&bytes, &header(75));
        assert_eq!(pairs(&index.intact), [(68, 71), (75, 84)]);
        assert_eq!(pairs(&index.damaged), [(71, 75)]);
        assert_eq!(index.events(&bytes).map(|event| event.type_id).collect::<Vec<_>>(), [0, 1, 101]);
    }

    #[test]
    fn without_a_chain_the_rest_is_lost() {
        let bytes = chunk(&[&[3, 0, 9], &[200, 1, 101, 1]]);
        let index = EventIndex::new(&bytes, &header(5_000));
        assert_eq!((pairs(&index.intact), pairs(&index.damaged)), (vec![(68, 71)], vec![(71, 75)]));
    }
}
