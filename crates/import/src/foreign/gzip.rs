//! Files that are compressed with gzip.

use flate2::read::MultiGzDecoder;
use std::io::Read;

/// Number of bytes that are decompressed at once.
const PIECE_BYTES: usize = 1 << 16;

/// The content of a gzip file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// The decompressed bytes.
    pub(crate) bytes: Vec<u8>,
    /// True if the file's end was reached. False if the file is truncated, corrupt or above the limit.
    pub(crate) is_complete: bool,
    /// True if the content exceeds the limit.
    pub(crate) is_too_long: bool,
}

/// True if the bytes begin like a gzip file.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Decompresses at most `max_bytes`. A kilobyte can become a megabyte, so memory grows with the decompressed bytes. The
/// size that the file declares is not used.
pub(crate) fn inflate(bytes: &[u8], max_bytes: usize) -> Inflated {
    let mut decoder = MultiGzDecoder::new(bytes);
    let mut content = Inflated { bytes: Vec::new(), is_complete: false, is_too_long: false };
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let room = max_bytes - content.bytes.len();
        match decoder.read(&mut piece) {
            Ok(0) => return Inflated { is_complete: true, ..content },
            Ok(count) if count > room => return Inflated { is_too_long: true, ..content },
            Ok(count) => append(&mut content.bytes, &piece[..count], room),
            Err(_) => return content,
        }
    }
}

/// Appends `piece`. Doubles the capacity, but adds at most `room` bytes.
fn append(bytes: &mut Vec<u8>, piece: &[u8], room: usize) {
    if bytes.capacity() - bytes.len() < piece.len() {
        bytes.reserve_exact(bytes.len().max(PIECE_BYTES).min(room));
    }
    bytes.extend_from_slice(piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_cut_file_gives_its_start() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let text: Vec<u8> = (0..100_000_u32).flat_map(|number| number.to_le_bytes()).collect();
        encoder.write_all(&text).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(is_gzip(&packed));
        let whole = Inflated { bytes: text.clone(), is_complete: true, is_too_long: false };
        assert_eq!(inflate(&packed, text.len()), whole);
        let half = inflate(&packed[..packed.len() / 2], text.len());
        assert!(!half.is_complete && half.bytes.len() > text.len() / 4 && text.starts_with(&half.bytes));
        assert!(!inflate(b"\x1f\x8b\x08nothing", 1_000).is_complete);
    }

    #[test]
    fn a_bomb_stays_within_the_limit() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::copy(&mut std::io::repeat(0).take(1 << 28), &mut encoder).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(packed.len() < 1 << 19);
        let content = inflate(&packed, 1_000_000);
        assert!(content.is_too_long && !content.is_complete);
        assert!(content.bytes.capacity() <= 1_000_000, "{}", content.bytes.capacity());
    }
}
