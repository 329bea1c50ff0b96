//! Recorded segments as one block of bytes.
//!
//! ```text
//! zstd of:  length of the host's name (2 bytes, little end first), length of the segment (4 bytes), name, segment
//!           …                                                      sorted by host and start
//! ```
//!
//! The segments of a fleet have repeated content: names, frames, stacks. So whittle compresses all segments together
//! instead of each page separately. Repeated content then needs almost no space.

use super::DemoError;
use bytes::Bytes;
use std::io::{Read, Write};
use whittle_experiment::{Segment, read_segment, write_plain_segment};

/// The output of `cargo xtask fleet-demo-segments`.
const RECORDED: &[u8] = include_bytes!("segments.zst");

/// Compression level of zstd. The level is high, because the archive is packed once and unpacked often.
const LEVEL: i32 = 19;

/// Base-2 logarithm of the number of bytes in which zstd finds repeated content. This number is larger than the size of
/// all segments together.
const WINDOW_LOG: u32 = 25;

/// Maximum size of a segment. Without this limit, a damaged length could allocate much memory.
const MAX_SEGMENT_BYTES: usize = 16 << 20;

/// Packs segments.
///
/// # Errors
/// A table cannot be written.
pub fn pack(segments: &[Segment]) -> Result<Vec<u8>, DemoError> {
    let mut sorted: Vec<&Segment> = segments.iter().collect();
    sorted.sort_by_key(|segment| (segment.manifest.label("host"), segment.manifest.start_wall_ns));
    let written = |error: std::io::Error| DemoError::Archive(error.to_string());
    let mut packed = zstd::Encoder::new(Vec::new(), LEVEL).map_err(written)?;
    packed.long_distance_matching(true).and_then(|()| packed.window_log(WINDOW_LOG)).map_err(written)?;
    for segment in sorted {
        let host = segment.manifest.label("host").as_bytes();
        let bytes = write_plain_segment(&segment.manifest, &segment.tables)?;
        let (host_length, length) = (u16::try_from(host.len()), u32::try_from(bytes.len()));
        let (Ok(host_length), Ok(length)) = (host_length, length) else {
            return Err(DemoError::Archive("a segment is too large".to_owned()));
        };
        let head = [&host_length.to_le_bytes()[..], &length.to_le_bytes(), host];
        head.into_iter().chain([&bytes[..]]).try_for_each(|part| packed.write_all(part)).map_err(written)?;
    }
    packed.finish().map_err(written)
}

/// All recorded segments, by host and start.
///
/// # Errors
/// The archive is damaged.
pub fn recorded() -> Result<Vec<Segment>, DemoError> {
    unpack(RECORDED, |_| true)
}

/// The segments of one host.
///
/// # Errors
/// The archive is damaged.
pub fn recorded_of(host: &str) -> Result<Vec<Segment>, DemoError> {
    unpack(RECORDED, |name| name == host.as_bytes())
}

fn unpack(packed: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Result<Vec<Segment>, DemoError> {
    let damaged = |error: std::io::Error| DemoError::Archive(error.to_string());
    let mut unpacked = zstd::Decoder::new(packed).map_err(damaged)?;
    let mut segments = Vec::new();
    while let Some((host, bytes)) = next(&mut unpacked).map_err(damaged)? {
        if is_wanted(&host) {
            segments.push(read_segment(&Bytes::from(bytes))?);
        }
    }
    Ok(segments)
}

/// The host's name and the bytes of the next segment. `None`: there are no more segments.
fn next(unpacked: &mut impl Read) -> std::io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut first = [0; 1];
    if unpacked.read(&mut first)? == 0 {
        return Ok(None);
    }
    let mut head = [0; 5];
    unpacked.read_exact(&mut head)?;
    let host_length = usize::from(u16::from_le_bytes([first[0], head[0]]));
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if length > MAX_SEGMENT_BYTES {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    let (mut host, mut bytes) = (vec![0; host_length], vec![0; length]);
    unpacked.read_exact(&mut host)?;
    unpacked.read_exact(&mut bytes)?;
    Ok(Some((host, bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let segments = recorded().expect("the archive is whole");
        let packed = pack(&segments[..20]).expect("it was packed before");
        assert_eq!(unpack(&packed, |_| true).expect("just packed"), segments[..20]);
        let host = segments[0].manifest.label("host");
        let own: Vec<Segment> =
            segments.iter().filter(|segment| segment.manifest.label("host") == host).cloned().collect();
        assert_eq!(recorded_of(host).expect("the archive is whole"), own);
    }

    #[test]
    fn a_damaged_archive_is_an_error() {
        for length in [0, 1, 100, RECORDED.len() / 2, RECORDED.len() - 1] {
            let cut = unpack(&RECORDED[..length], |_| true);
            assert!(cut.is_err() || length == 0, "{length} bytes gave {} segments", cut.map_or(0, |all| all.len()));
        }
        let mut other = RECORDED.to_vec();
        for position in (0..other.len()).step_by(other.len() / 8) {
            other[position] ^= 0x55;
            // The result does not matter. This test only checks that reading ends.
            let _ = unpack(&other, |_| true);
            other[position] ^= 0x55;
        }
    }
}
