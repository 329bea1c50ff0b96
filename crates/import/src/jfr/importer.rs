//! Reading a recording chunk by chunk, also while it grows.
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
use whittle_model::{EventKind, LossReason, Losses, MetricDefinition, TableBuilder, Tables, WeightColumn, cpu_metrics};

/// Places of damage that are kept one by one; all are counted.
const MAX_DAMAGE_PLACES: usize = 100;

/// A part of the input that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Position in the input.
    pub position: u64,
    /// Length in bytes; 0 if it is not known how many are absent.
    pub byte_count: u64,
    /// What is lost.
    pub what: &'static str,
}

/// A recording that was read to its end; its rows are in the builder that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JfrImport {
    /// What the recording says about itself.
    pub recording: Recording,
    /// What is missing, by reason.
    pub losses: Losses,
    /// The first places of damage, in order.
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
    /// Bytes of the input before those of the current call.
    consumed_bytes: u64,
}

impl JfrImporter {
    /// An importer at the start of a recording.
    pub fn new(options: JfrOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads the finished chunks at the start of `bytes` and returns the number of bytes they take.
    ///
    /// The next call must begin with the bytes behind those, read anew: the header of a chunk changes
    /// when it is finished. [`chunk_extent`] tells how many bytes a chunk needs.
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

    /// Reads what can be read of the last bytes, which no call of [`push`](Self::push) consumed:
    /// usually a chunk that was never finished.
    pub fn finish(mut self, rest: &[u8], builder: &mut TableBuilder) -> Result<JfrImport, ImportError> {
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
        if self.session.recording.chunk_count == 0 {
            return Err(ImportError::NotJfr { byte_count: self.consumed_bytes });
        }
        let metrics = self.metrics();
        let Self { session: Session { recording, losses, .. }, damage, .. } = self;
        Ok(JfrImport { recording, losses, damage, metrics })
    }

    /// What the recording says about itself, as far as it was read.
    pub fn recording(&self) -> &Recording {
        &self.session.recording
    }

    /// What is missing so far.
    pub fn losses(&self) -> &Losses {
        &self.session.losses
    }

    /// The metrics that the samples so far have.
    pub fn metrics(&self) -> Vec<MetricDefinition> {
        let seen = self.session.seen;
        let mut metrics = if seen.weighted_cpu { cpu_metrics(seen.cpu_mode) } else { Vec::new() };
        let others = [
            (seen.unweighted_cpu, "cpu_samples", "CPU samples", EventKind::Cpu, WeightColumn::Count),
            (seen.java_sample, "java_samples", "Java samples", EventKind::JavaSample, WeightColumn::Count),
            (seen.wall, "wall", "Wall clock", EventKind::Wall, WeightColumn::DurationNs),
        ];
        for (is_seen, name, title, event, weight) in others {
            metrics.extend(is_seen.then(|| MetricDefinition::new(name, title, event, weight)));
        }
        metrics.extend(seen.alloc.then(MetricDefinition::alloc_bytes));
        metrics.extend((seen.alloc && !seen.uncounted_alloc).then(MetricDefinition::alloc_count));
        metrics.extend(seen.lock.then(MetricDefinition::lock_wait));
        metrics
    }

    /// Reads the finished chunk `chunk`, which stands at `position` of the current bytes; its length.
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

    /// Reads what there is of an unfinished chunk, or counts bytes that are none.
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

    /// Counts bytes that are no chunk; their number.
    fn skip_foreign_bytes(&mut self, position: usize, byte_count: usize) -> usize {
        self.add_damage(position as u64, byte_count as u64, "bytes that are no chunk of a recording");
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
