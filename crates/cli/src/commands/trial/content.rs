//! The contents of files: hashes, and texts that are not too large. Of a compressed file, the decompressed content.

use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Larger files are compared by their hashes only, and not line by line.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// A compressed file with more content than this is compared as it is. A small file can be made to contain terabytes.
const MAX_DECOMPRESSED_BYTES: u64 = 4 << 30;
const BUFFER_BYTES: usize = 1 << 16;

/// The content that a run has written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) hash: u128,
    pub(super) length: u64,
    /// Text, for a comparison of its lines.
    pub(super) text: Option<Arc<str>>,
}

/// The length and the hash of a whole file.
pub(super) type Whole = (u64, u128);

/// Bytes that are read one after the other.
struct Collected {
    hasher: Xxh3,
    text: Vec<u8>,
    length: u64,
}

impl Collected {
    fn new() -> Self {
        Self { hasher: Xxh3::new(), text: Vec::new(), length: 0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        if self.length <= MAX_TEXT_BYTES {
            self.text.extend_from_slice(bytes);
        }
    }

    fn content(self) -> Content {
        let text = (self.length <= MAX_TEXT_BYTES).then_some(self.text).and_then(|text| String::from_utf8(text).ok());
        Content { hash: self.hasher.digest128(), length: self.length, text: text.map(Arc::from) }
    }
}

/// The hash of a whole file, and the content that a run has written. This is the end of the file if the file still begins
/// with the content `before`. Texts that are too large are a hash.
pub(super) fn content(path: &Path, before: Option<Whole>) -> io::Result<(Whole, Content)> {
    let mut file = File::open(path)?;
    let old_length = before.map_or(0, |(length, _)| length).min(file.metadata()?.len());
    let mut start = Xxh3::new();
    read_all(&mut (&mut file).take(old_length), &mut |bytes| start.update(bytes))?;
    let is_appended = before.is_some_and(|(length, hash)| length == old_length && hash == start.digest128());
    let (mut whole, mut written) = (start, Collected::new());
    read_all(&mut file, &mut |bytes| {
        whole.update(bytes);
        written.add(bytes);
    })?;
    let of_whole = (old_length + written.length, whole.digest128());
    if old_length > 0 && (!is_appended || written.length == 0) {
        return Ok((of_whole, content(path, None)?.1));
    }
    Ok((of_whole, written.content()))
}

/// The content of a compressed file. `None`: the file has no format that whittle knows, or it is damaged, or its content is
/// too large.
pub(super) fn decompressed(path: &Path) -> Option<Content> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let mut collected = Collected::new();
    match *file.fill_buf().ok()? {
        [0x1f, 0x8b, ..] => {
            let mut decoder = MultiGzDecoder::new(file).take(MAX_DECOMPRESSED_BYTES + 1);
            read_all(&mut decoder, &mut |bytes| collected.add(bytes)).ok()?;
        }
        [first @ 0x78, second, ..] if u16::from_be_bytes([first, second]).is_multiple_of(31) => {
            let mut decoder = ZlibDecoder::new(file).take(MAX_DECOMPRESSED_BYTES + 1);
            read_all(&mut decoder, &mut |bytes| collected.add(bytes)).ok()?;
            decoder.into_inner().into_inner().fill_buf().ok()?.is_empty().then_some(())?;
        }
        _ => return None,
    }
    (collected.length <= MAX_DECOMPRESSED_BYTES).then(|| collected.content())
}

fn read_all(reader: &mut dyn Read, add: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(()),
            count => add(&buffer[..count]),
        }
    }
}
