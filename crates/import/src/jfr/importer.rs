//! Reads a recording chunk by chunk, also while the recording grows.
//!
//! ```text
//! file:   chunk 1 │ chunk 2 │ chunk 3, still being written
//! push:   ────────┴────────>│ consumed
//! finish:                   │ ──── what can be read of it ──>
//! ```

use super::chunk::{ChunkDamage, Session, import_chunk};
use super::chunk_header::{ChunkExtent, ChunkHeader, NoHeader, chunk_extent, find_chunk};
use super::options::JfrOptions;
use super::recording::Recording;
use crate::ImportError;
use whittle_model::{EventKind, LossReason, Losses, Metric, MetricDefinition, TableBuilder, Tables};

/// Maximum number of unreadable parts that are listed. All unreadable parts are counted.
const MAX_DAMAGE_PLACES: usize = 100;

/// An unreadable part of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Position in the input.
    pub position: u64,
    /// Length in bytes; 0: an unknown number of bytes is missing.
    pub byte_count: u64,
    /// Describes the unreadable content.
    pub what: &'static str,
}

/// The result of reading a whole recording. Its rows are in the builder that the caller passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JfrImport {
    /// The recording's information about itself.
    pub recording: Recording,
    /// Missing data, by reason.
    pub losses: Losses,
    /// The first unreadable parts, in order.
    pub damage: Vec<Damage>,
    /// The metrics that the samples have.
    pub metrics: Vec<MetricDefinition>,
}

/// Reads a recording from consecutive pieces of its bytes.
#[derive(Debug, Default)]
pub struct JfrImporter {
    options: JfrOptions,
    session: Session,
    damage: Vec<Damage>,
    /// Number of input bytes before the bytes of the current call.
    consumed_bytes: u64,
}

impl JfrImporter {
    /// An importer at the start of a recording.
    pub fn new(options: JfrOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads the finished chunks at the start of `bytes`, and returns their length in bytes.
    ///
    /// The next call must start with the bytes after the consumed bytes. Read these bytes from the file again, because
    /// the header of a chunk changes when the chunk is finished. [`chunk_extent`] shows how many bytes a chunk needs.
    pub fn push(&mut self, bytes: &[u8], builder: &mut TableBuilder) -> usize {
        let mut position = 0;
        while position < bytes.len() {
            let rest = &bytes[position..];
            let step = match chunk_extent(rest) {
                ChunkExtent::Finished(size) => match usize::try_from(size) {
                    Ok(size) if size <= rest.len() => self.import(&rest[..size], position, builder),
                    _ => break,
                },
                ChunkExtent::Unfinished | ChunkExtent::NeedsHeader => break,
                ChunkExtent::NotAChunk => match find_chunk(rest, 1) {
                    Some(next) => self.skip_foreign_bytes(position, next),
                    None => break,
                },
            };
            position += step;
        }
        self.consumed_bytes += position as u64;
        position
    }

    /// Reads the last bytes, which no call of [`push`](Self::push) consumed. Usually they are an unfinished chunk.
    pub fn finish(mut self, rest: &[u8], builder: &mut TableBuilder) -> Result<JfrImport, ImportError> {
        self.push_rest(rest, builder);
        self.into_import()
    }

    /// Reads all of `rest`: finished chunks, and the readable part of other bytes.
    pub(crate) fn push_rest(&mut self, rest: &[u8], builder: &mut TableBuilder) {
        let mut rest = rest;
        loop {
            let taken = self.push(rest, builder);
            rest = &rest[taken..];
            if rest.is_empty() {
                break;
            }
            let next = find_chunk(rest, 1).unwrap_or(rest.len());
            self.salvage(&rest[..next], builder);
            self.consumed_bytes += next as u64;
            rest = &rest[next..];
        }
    }

    /// Counts bytes that are not a chunk. The caller did not read them.
    pub(crate) fn skip(&mut self, byte_count: u64) {
        self.add_damage(0, byte_count, "bytes that are not a chunk");
        self.session.losses.add_input_bytes(LossReason::DamagedInput, byte_count);
        self.consumed_bytes += byte_count;
    }

    pub(crate) fn into_import(self) -> Result<JfrImport, ImportError> {
        if self.session.recording.chunk_count == 0 {
            return Err(ImportError::NotJfr { byte_count: self.consumed_bytes });
        }
        let metrics = self.metrics();
        let Self { session: Session { recording, losses, .. }, damage, .. } = self;
        Ok(JfrImport { recording, losses, damage, metrics })
    }

    /// The information about the recording that was read so far.
    pub fn recording(&self) -> &Recording {
        &self.session.recording
    }

    /// Missing data so far.
    pub fn losses(&self) -> &Losses {
        &self.session.losses
    }

    /// The metrics of the samples so far.
    pub fn metrics(&self) -> Vec<MetricDefinition> {
        let seen = &self.session.seen;
        let mut metrics = seen.definitions();
        if seen.is_mixed(EventKind::Cpu) {
            // CPU times come first, then the number of samples.
            let position = metrics.iter().take_while(|metric| metric.event == EventKind::Cpu).count();
            metrics.insert(position, Metric::CpuSamples.definition());
        }
        metrics
    }

    /// Reads the finished chunk `chunk` at `position` of the current bytes. Returns its length.
    fn import(&mut self, chunk: &[u8], position: usize, builder: &mut TableBuilder) -> usize {
        if let Some(damage) = self.read_chunk(chunk, builder) {
            for (part, what) in damage.parts {
                let byte_count = part.len() as u64;
                self.add_damage((position + part.start) as u64, byte_count, what);
                self.session.losses.add_input_bytes(LossReason::DamagedInput, byte_count);
            }
        } else {
            self.skip_foreign_bytes(position, chunk.len());
        }
        chunk.len()
    }

    /// Reads the readable part of an unfinished chunk, or counts bytes that are not a chunk.
    fn salvage(&mut self, bytes: &[u8], builder: &mut TableBuilder) {
        let Some(damage) = self.read_chunk(bytes, builder) else {
            self.skip_foreign_bytes(0, bytes.len());
            return;
        };
        let unread_bytes: u64 = damage.parts.iter().map(|(part, _)| part.len() as u64).sum();
        for (part, what) in damage.parts {
            self.add_damage(part.start as u64, part.len() as u64, what);
        }
        let absent_bytes = match chunk_extent(bytes) {
            ChunkExtent::Finished(size) => size - bytes.len() as u64,
            _ => 0,
        };
        self.add_damage(bytes.len() as u64, absent_bytes, "the end of a chunk");
        self.session.losses.add_input_bytes(LossReason::UnfinishedChunk, unread_bytes.saturating_add(absent_bytes));
    }

    fn read_chunk(&mut self, bytes: &[u8], builder: &mut TableBuilder) -> Option<ChunkDamage> {
        let header = match ChunkHeader::parse(bytes) {
            Ok(header) if header.is_readable() => header,
            Ok(_) | Err(NoHeader::TooShort | NoHeader::NotAChunk) => return None,
        };
        Some(import_chunk(bytes, &header, (&mut self.session, builder), &self.options))
    }

    /// Counts bytes that are not a chunk, and returns their number.
    fn skip_foreign_bytes(&mut self, position: usize, byte_count: usize) -> usize {
        self.add_damage(position as u64, byte_count as u64, "bytes that are not a chunk");
        self.session.losses.add_input_bytes(LossReason::DamagedInput, byte_count as u64);
        byte_count
    }

    fn add_damage(&mut self, position: u64, byte_count: u64, what: &'static str) {
        if self.damage.len() < MAX_DAMAGE_PLACES {
            self.damage.push(Damage { position: self.consumed_bytes + position, byte_count, what });
        }
    }
}

/// Reads a whole recording.
pub fn import_jfr(bytes: &[u8], options: JfrOptions) -> Result<(Tables, JfrImport), ImportError> {
    let mut builder = TableBuilder::new();
    let import = JfrImporter::new(options).finish(bytes, &mut builder)?;
    Ok((builder.into_tables(), import))
}
