//! Reads the JVM's recording while it grows: finished chunks first, the rest at the end.

use crate::hand::TargetFile;
use std::io;
use std::sync::Arc;
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, ImportError, JfrImport, JfrImporter, JfrOptions, MAX_CHUNK_BYTES, chunk_extent,
};
use whittle_model::TableBuilder;
use whittle_native::ReadAt;

/// Maximum number of bytes that are read for one segment of a continuous collection. With 20 samples per second on each
/// of 128 CPUs, a minute has about 20 MB.
const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// A growing recording and the data that was read from it.
#[derive(Debug)]
pub(crate) struct GrowingRecording {
    file: Option<Arc<TargetFile>>,
    position: u64,
    importer: JfrImporter,
    chunk: Vec<u8>,
    /// How many more bytes may be read for these tables. Longer chunks are skipped.
    allowance_bytes: u64,
}

impl GrowingRecording {
    /// A recording without a file.
    pub(crate) fn new(options: JfrOptions) -> Self {
        Self {
            file: None,
            position: 0,
            importer: JfrImporter::new(options),
            chunk: Vec::new(),
            allowance_bytes: u64::MAX,
        }
    }

    /// The same file from its first unfinished chunk on, for new tables.
    pub(crate) fn for_next_segment(&self) -> Self {
        let next = Self { file: self.file.clone(), position: self.position, ..Self::new(JfrOptions::default()) };
        next.for_segment()
    }

    /// The same recording, of which at most the bytes of one segment are read.
    pub(crate) fn for_segment(self) -> Self {
        Self { allowance_bytes: MAX_SEGMENT_BYTES, ..self }
    }

    /// Sets the sample properties that are not in the recording. Call this before anything is read.
    pub(crate) fn set_options(&mut self, options: JfrOptions) {
        self.importer = JfrImporter::new(options);
    }

    /// True if the file is open.
    pub(crate) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Takes the recording, to read it to its end.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::new(JfrOptions::default()))
    }

    /// Sets the file.
    pub(crate) fn open(&mut self, file: TargetFile) {
        self.file = Some(Arc::new(file));
    }

    /// The importer's state so far.
    pub(crate) fn importer(&self) -> &JfrImporter {
        &self.importer
    }

    /// Reads the chunks that were finished since the last call. Returns true if there were any.
    pub(crate) fn read_finished_chunks(&mut self, builder: &mut TableBuilder) -> io::Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        let mut has_read = false;
        loop {
            let available = file.size()?.saturating_sub(self.position);
            let mut header = [0; CHUNK_HEADER_BYTES];
            if available < header.len() as u64 {
                return Ok(has_read);
            }
            file.read_exact_at(&mut header, self.position)?;
            let ChunkExtent::Finished(size_bytes) = chunk_extent(&header) else { return Ok(has_read) };
            // Another user can own the file, so its sizes must not decide how much memory whittle allocates.
            if size_bytes > MAX_CHUNK_BYTES {
                let limit = MAX_CHUNK_BYTES >> 20;
                return Err(io::Error::other(format!("a chunk of {size_bytes} bytes, but the limit is {limit} MiB")));
            }
            // A size beyond the end of the file means that the header was written before its chunk.
            if size_bytes > available {
                return Ok(has_read);
            }
            if size_bytes > self.allowance_bytes {
                self.position += size_bytes;
                let limit = MAX_SEGMENT_BYTES >> 20;
                return Err(io::Error::other(format!("more than {limit} MiB for one segment; the rest is skipped")));
            }
            self.allowance_bytes -= size_bytes;
            self.chunk.resize(size_bytes as usize, 0);
            file.read_exact_at(&mut self.chunk, self.position)?;
            self.position += self.importer.push(&self.chunk, builder) as u64;
            has_read = true;
        }
    }

    /// Reads the readable part of the rest. Data that was read before an error is kept.
    pub(crate) fn finish(mut self, builder: &mut TableBuilder) -> (Result<JfrImport, ImportError>, Option<io::Error>) {
        let mut rest = Vec::new();
        let read = self.read_finished_chunks(builder).and_then(|_| self.read_rest(&mut rest));
        (self.importer.finish(&rest, builder), read.err())
    }

    fn read_rest(&self, rest: &mut Vec<u8>) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let length = file.size()?.saturating_sub(self.position).min(MAX_CHUNK_BYTES);
        rest.resize(length as usize, 0);
        file.read_exact_at(rest, self.position)
    }
}
