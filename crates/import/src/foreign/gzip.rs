//! Files that are compressed with gzip.

use flate2::read::MultiGzDecoder;
use std::io::Read;

/// What is unpacked at most. A larger profile would not fit into the viewers that wrote it either.
const MAX_BYTES: usize = 0x7fff_ffff;

/// What is unpacked at once.
const PIECE_BYTES: u64 = 1 << 16;

/// The content of a gzip file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inflated {
    /// What could be unpacked.
    pub bytes: Vec<u8>,
    /// True if the file's end was reached; false if it is cut, damaged or too long.
    pub is_complete: bool,
}

/// True if the bytes begin as a gzip file.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Unpacks what can be unpacked.
pub fn inflate(bytes: &[u8]) -> Inflated {
    let mut decoder = MultiGzDecoder::new(bytes);
    let mut content = Vec::new();
    loop {
        match decoder.by_ref().take(PIECE_BYTES).read_to_end(&mut content) {
            Ok(0) => return Inflated { bytes: content, is_complete: true },
            Ok(_) if content.len() < MAX_BYTES => {}
            Ok(_) | Err(_) => return Inflated { bytes: content, is_complete: false },
        }
    }
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
        assert_eq!(inflate(&packed), Inflated { bytes: text.clone(), is_complete: true });
        let half = inflate(&packed[..packed.len() / 2]);
        assert!(!half.is_complete && half.bytes.len() > text.len() / 4 && text.starts_with(&half.bytes));
        assert!(!inflate(b"\x1f\x8b\x08nothing").is_complete);
    }
}
