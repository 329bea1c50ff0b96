//! The 68 bytes at the start of every chunk.
//!
//! ```text
//! offset  bytes  meaning (big endian)
//!      0      4  "FLR\0"
//!      4      4  major and minor version
//!      8      8  size of the chunk, this header included
//!     16      8  position of the last checkpoint event (constant pools)
//!     24      8  position of the metadata event
//!     32      8  start, nanoseconds since 1970
//!     40      8  duration in nanoseconds
//!     48      8  start in ticks
//!     56      8  ticks per second
//!     64      1  0 if finished; while the JDK still writes, a counter
//!     65      3  flags; the lowest bit: integers are compressed
//! ```
//!
//! The size of a chunk is wrong while the chunk is being written, or if the writer was killed. In this case,
//! async-profiler's headers contain a size of 1 GiB and positions of 0. The JDK's headers contain the size at the last
//! flush and a counter.

/// Bytes of a chunk header.
pub const CHUNK_HEADER_BYTES: usize = 68;

/// The first bytes of every chunk.
pub(crate) const MAGIC: &[u8; 4] = b"FLR\0";

/// The flag for compressed integers, the lowest bit of the last header byte.
const FLAG_COMPRESSED_INTEGERS: u8 = 1;

/// The header of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkHeader {
    /// Size of the chunk in bytes, including the header. It has no meaning if the chunk is unfinished.
    pub(crate) size_bytes: u64,
    /// Position of the last checkpoint event.
    pub(crate) checkpoint_position: u64,
    /// Position of the metadata event.
    pub(crate) metadata_position: u64,
    /// Duration in nanoseconds; 0 if the chunk is unfinished.
    pub(crate) duration_ns: u64,
    /// Start, nanoseconds since 1970.
    pub(crate) start_wall_ns: u64,
    /// Start in ticks.
    pub(crate) start_ticks: u64,
    /// Ticks per second, never 0.
    pub(crate) ticks_per_second: u64,
    /// True if size and positions are final.
    pub(crate) is_finished: bool,
    has_compressed_integers: bool,
}

/// Why bytes are not a readable chunk header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoHeader {
    /// There are too few bytes for a header. They can be the start of a header.
    TooShort,
    /// The bytes are not the start of a chunk.
    NotAChunk,
}

impl ChunkHeader {
    /// Reads the header at the start of `bytes`.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, NoHeader> {
        let magic_bytes = bytes.len().min(MAGIC.len());
        if bytes[..magic_bytes] != MAGIC[..magic_bytes] {
            return Err(NoHeader::NotAChunk);
        }
        let header = bytes.first_chunk::<CHUNK_HEADER_BYTES>().ok_or(NoHeader::TooShort)?;
        let long = |offset: usize| {
            let mut value = [0; 8];
            value.copy_from_slice(&header[offset..offset + 8]);
            u64::from_be_bytes(value)
        };
        let major_version = u16::from_be_bytes([header[4], header[5]]);
        if !(1..=2).contains(&major_version) || long(56) == 0 {
            return Err(NoHeader::NotAChunk);
        }
        let (size_bytes, checkpoint_position, metadata_position) = (long(8), long(16), long(24));
        let inside = CHUNK_HEADER_BYTES as u64..size_bytes;
        let is_finished =
            header[64] == 0 && inside.contains(&checkpoint_position) && inside.contains(&metadata_position);
        Ok(Self {
            size_bytes,
            checkpoint_position,
            metadata_position,
            duration_ns: long(40),
            start_wall_ns: long(32),
            start_ticks: long(48),
            ticks_per_second: long(56),
            is_finished,
            has_compressed_integers: header[67] & FLAG_COMPRESSED_INTEGERS != 0,
        })
    }

    /// True if the chunk's integers are compressed. All known producers compress them.
    pub(crate) fn is_readable(&self) -> bool {
        self.has_compressed_integers
    }
}

/// The length of a chunk, according to its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkExtent {
    /// A finished chunk with this number of bytes starts here.
    Finished(u64),
    /// An unfinished chunk starts here: it is still being written, or its writer was killed. The header changes when
    /// the chunk is finished, so the header must be read again later.
    Unfinished,
    /// At least [`CHUNK_HEADER_BYTES`] bytes are needed.
    NeedsHeader,
    /// No chunk starts here: the bytes are corrupt or not JFR.
    NotAChunk,
}

/// The length of the chunk that starts with `prefix`, for reading a file chunk by chunk. `prefix` needs only
/// [`CHUNK_HEADER_BYTES`] bytes.
pub fn chunk_extent(prefix: &[u8]) -> ChunkExtent {
    match ChunkHeader::parse(prefix) {
        Ok(header) if header.is_finished => ChunkExtent::Finished(header.size_bytes),
        Ok(_) => ChunkExtent::Unfinished,
        Err(NoHeader::TooShort) => ChunkExtent::NeedsHeader,
        Err(NoHeader::NotAChunk) => ChunkExtent::NotAChunk,
    }
}

/// Position of the first chunk header in `bytes` at or after `from`.
pub(crate) fn find_chunk(bytes: &[u8], from: usize) -> Option<usize> {
    let mut position = from;
    while let Some(found) = bytes.get(position..)?.windows(MAGIC.len()).position(|window| window == MAGIC) {
        position += found;
        if !matches!(ChunkHeader::parse(&bytes[position..]), Err(NoHeader::NotAChunk)) {
            return Some(position);
        }
        position += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(size_bytes: u64, checkpoint_position: u64, state: u8) -> Vec<u8> {
        let mut bytes = b"FLR\0\0\x02\0\x01".to_vec();
        for value in [size_bytes, checkpoint_position, 68, 1_000, 0, 500, 1_000_000_000] {
            bytes.extend(value.to_be_bytes());
        }
        bytes.extend([state, 0, 0, 1]);
        bytes
    }

    #[test]
    fn the_extent_of_a_chunk_is_known_from_its_header() {
        assert_eq!(chunk_extent(&header(200, 100, 0)), ChunkExtent::Finished(200));
        assert_eq!(chunk_extent(&header(200, 100, 0)[..67]), ChunkExtent::NeedsHeader);
        assert_eq!(chunk_extent(b""), ChunkExtent::NeedsHeader);
        assert_eq!(chunk_extent(b"PK\x03\x04"), ChunkExtent::NotAChunk);
    }

    #[test]
    fn an_open_chunk_is_unfinished_whoever_writes_it() {
        assert_eq!(chunk_extent(&header(1 << 30, 0, 0)), ChunkExtent::Unfinished);
        assert_eq!(chunk_extent(&header(200, 100, 3)), ChunkExtent::Unfinished);
        assert_eq!(chunk_extent(&header(i64::MAX as u64, 0, 255)), ChunkExtent::Unfinished);
    }

    #[test]
    fn the_next_chunk_is_found_behind_damage() {
        let mut bytes = b"FLR\0 not this one".to_vec();
        let expected = bytes.len();
        bytes.extend(header(200, 100, 0));
        assert_eq!(find_chunk(&bytes, 1), Some(expected));
        assert_eq!(find_chunk(&bytes, 0), Some(expected));
        assert_eq!(find_chunk(&bytes, expected + 1), None);
    }
}
