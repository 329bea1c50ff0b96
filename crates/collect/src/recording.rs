//! Reads the JVM's recording while it grows: finished chunks first, the rest at the end.

use crate::hand::TargetFile;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, ImportError, JfrImport, JfrImporter, JfrOptions, MAX_CHUNK_BYTES, chunk_extent,
};
use whittle_model::TableBuilder;
use whittle_native::ReadAt;

/// Maximum number of bytes that are read for one segment of a continuous collection. With 20 samples per second on each
/// of 128 CPUs, a minute has about 20 MB.
const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// Maximum number of bytes that are read for the present segments of all processes of one user. The tables of a segment
/// stay in memory until its end, and the recording of a hostile program can have any content. With 20 samples per second
/// on each CPU, all processes of a host together have the number of samples above.
const MAX_USER_BYTES: u64 = 256 << 20;

/// Bytes that were read for present segments, by the accountable user.
static READ: Mutex<BTreeMap<Option<u32>, u64>> = Mutex::new(BTreeMap::new());

/// The bytes that were read for a segment, as long as it is the present segment.
#[derive(Debug, Default)]
struct Charge {
    owner: Option<u32>,
    bytes: u64,
}

impl Charge {
    /// Adds bytes, if the limit of the user allows it.
    fn add(&mut self, bytes: u64) -> io::Result<()> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let of_owner = read.entry(self.owner).or_default();
        if *of_owner + bytes > MAX_USER_BYTES {
            let limit = MAX_USER_BYTES >> 20;
            return Err(io::Error::other(format!(
                "the recordings of this user's programs have more than {limit} MiB for one segment; a part is skipped"
            )));
        }
        *of_owner += bytes;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_owner) = read.get_mut(&self.owner) {
            *of_owner = of_owner.saturating_sub(self.bytes);
        }
        read.retain(|_, bytes| *bytes > 0);
    }
}

/// A growing recording and the data that was read from it.
#[derive(Debug)]
pub(crate) struct GrowingRecording {
    file: Option<Arc<TargetFile>>,
    position: u64,
    importer: JfrImporter,
    /// How many more bytes may be read for these tables. Longer chunks are skipped.
    allowance_bytes: u64,
    /// For a part of a continuous collection: what was read. Missing: there is no limit.
    charge: Option<Charge>,
}

impl GrowingRecording {
    /// A recording without a file.
    pub(crate) fn new(options: JfrOptions) -> Self {
        Self { file: None, position: 0, importer: JfrImporter::new(options), allowance_bytes: u64::MAX, charge: None }
    }

    /// The same file from its first unfinished chunk on, for new tables.
    pub(crate) fn for_next_segment(&self) -> Self {
        let next = Self { file: self.file.clone(), position: self.position, ..Self::new(JfrOptions::default()) };
        next.for_segment()
    }

    /// The same recording, of which at most the bytes of one segment are read.
    pub(crate) fn for_segment(self) -> Self {
        let owner = self.file.as_ref().and_then(|file| file.owner());
        Self { allowance_bytes: MAX_SEGMENT_BYTES, charge: Some(Charge { owner, bytes: 0 }), ..self }
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
        if let Some(charge) = &mut self.charge {
            charge.owner = file.owner();
        }
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
            let charged = self.charge.as_mut().map_or(Ok(()), |charge| charge.add(size_bytes));
            charged.inspect_err(|_| self.position += size_bytes)?;
            // The system gives the memory when it is written to, so a file that becomes shorter costs nothing.
            let mut chunk = vec![0; size_bytes as usize];
            file.read_exact_at(&mut chunk, self.position)?;
            self.position += self.importer.push(&chunk, builder) as u64;
            has_read = true;
        }
    }

    /// Reads the readable part of the rest. Data that was read before an error is kept.
    pub(crate) fn finish(mut self, builder: &mut TableBuilder) -> (Result<JfrImport, ImportError>, Option<io::Error>) {
        let (rest, error) = match self.read_finished_chunks(builder).and_then(|_| self.room_for_rest()) {
            Ok(None) => (None, None),
            Ok(Some((file, mut rest))) => {
                let read = file.read_exact_at(&mut rest, self.position);
                (Some(rest), read.err())
            }
            Err(error) => (None, Some(error)),
        };
        (self.importer.finish(&rest.unwrap_or_default(), builder), error)
    }

    /// The file, and room for the bytes that were not read yet.
    fn room_for_rest(&mut self) -> io::Result<Option<(Arc<TargetFile>, Vec<u8>)>> {
        let Some(file) = &self.file else { return Ok(None) };
        let length = file.size()?.saturating_sub(self.position).min(MAX_CHUNK_BYTES).min(self.allowance_bytes);
        let file = Arc::clone(file);
        self.charge.as_mut().map_or(Ok(()), |charge| charge.add(length))?;
        Ok(Some((file, vec![0; length as usize])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::World;

    #[test]
    fn the_segments_of_a_user_share_a_limit() {
        let charge = |owner| Charge { owner: Some(owner), bytes: 0 };
        let (mut first, mut second, mut other) = (charge(4_000_000_017), charge(4_000_000_017), charge(4_000_000_018));
        first.add(MAX_USER_BYTES - 1).unwrap();
        assert!(second.add(2).is_err());
        second.add(1).unwrap();
        other.add(2).unwrap();
        drop(first);
        second.add(MAX_USER_BYTES - 1).unwrap();
        assert!(second.add(1).is_err());
    }

    /// A file of any size costs its user nothing.
    #[test]
    fn the_unfinished_rest_of_a_segment_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording.jfr");
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let mut recording = GrowingRecording::new(JfrOptions::default()).for_segment();
        recording.open(World::own().unwrap().open(path.to_str().unwrap()).unwrap());
        let (_, rest) = recording.room_for_rest().unwrap().unwrap();
        assert_eq!(rest.len() as u64, MAX_SEGMENT_BYTES);
    }
}
