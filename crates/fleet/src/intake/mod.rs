//! Takes landed segments into the fleet's tables, each exactly once.
//!
//! ```text
//! list segments/ ─ known? ──> delete
//!                └ read, check, split by service and hour ──> write files ──> commit ──> delete the segments
//! ```
//!
//! The commit names the new files and the segments that are in them, both or neither. A crash before it leaves files that
//! nobody names; after it, segments that are known and deleted the next time. What cannot be read is put aside under
//! `refused/`, where people find it.

mod batch;
mod known_stacks;
mod landing;
mod segment_rows;

pub use landing::Refusal;

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Snapshot};
use crate::rows::FileError;
use batch::Batch;
use known_stacks::KnownStacks;
use landing::{Landed, Landing};
use std::sync::Arc;
use thiserror::Error;
use whittle_experiment::StoreError;
use whittle_model::SegmentId;

/// How segments are taken in.
#[derive(Debug, Clone, Copy)]
pub struct IntakeOptions {
    /// Segments that are older are refused, in seconds; what an agent's spool holds must arrive within it.
    pub late_s: i64,
    /// Segments that are read before files are written, in bytes.
    pub batch_bytes: u64,
}

impl Default for IntakeOptions {
    fn default() -> Self {
        Self { late_s: 48 * 3600, batch_bytes: 64 << 20 }
    }
}

/// Why segments could not be taken in. They are still there.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The catalogue refuses.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A file of the tables cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What one call has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Segments that are in the tables now and were not before.
    pub segment_count: u64,
    /// Segments that were in the tables before.
    pub known_count: u64,
    /// Segments that were put aside.
    pub refused_count: u64,
    /// Rows of samples in the segments.
    pub sample_count: u64,
    /// Segments of a host whose clock is ahead of the store's.
    pub ahead_count: u64,
    /// Stacks whose short identity another stack has; their samples count for the caller.
    pub collision_count: u64,
}

impl Taken {
    /// Adds what another call has done.
    pub fn add(&mut self, other: Self) {
        self.segment_count += other.segment_count;
        self.known_count += other.known_count;
        self.refused_count += other.refused_count;
        self.sample_count += other.sample_count;
        self.ahead_count += other.ahead_count;
        self.collision_count += other.collision_count;
    }
}

/// Takes segments in. One program should do it for a store; several only stand in each other's way.
#[derive(Debug)]
pub struct Intake {
    catalogue: Catalogue,
    options: IntakeOptions,
    known_stacks: KnownStacks,
}

impl Intake {
    /// An intake into the tables of `catalogue`.
    pub fn new(catalogue: Catalogue, options: IntakeOptions) -> Self {
        Self { catalogue, options, known_stacks: KnownStacks::default() }
    }

    /// Takes in all segments that are there; `now_s` is the time, seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    /// See [`IntakeError`]. What was committed before stays.
    pub async fn run(&mut self, now_s: i64) -> Result<Taken, IntakeError> {
        let mut taken = Taken::default();
        let landing = Landing::new(Arc::clone(self.catalogue.store()));
        let landed = landing.list().await?;
        let mut landed = landed.as_slice();
        while !landed.is_empty() {
            let (count, done) = self.take_batch(&landing, landed, now_s).await?;
            taken.add(done);
            landed = &landed[count..];
        }
        self.known_stacks.forget_before(now_s - self.options.late_s);
        Ok(taken)
    }

    /// Takes in the first of `landed`; how many, and what became of them.
    async fn take_batch(
        &mut self,
        landing: &Landing,
        landed: &[Landed],
        now_s: i64,
    ) -> Result<(usize, Taken), IntakeError> {
        let snapshot = self.catalogue.newest().await?;
        let (mut taken, mut batch, mut done, mut bytes) = (Taken::default(), Batch::default(), Vec::new(), 0);
        let mut count = 0;
        for one in landed {
            if bytes >= self.options.batch_bytes {
                break;
            }
            count += 1;
            bytes += one.bytes;
            if snapshot.streams.contains(one.name.id) || batch.contains(one.name.id) {
                taken.known_count += 1;
            } else if let Err(refusal) = self.take_segment((landing, one), &mut batch, (now_s, &snapshot)).await? {
                landing.put_aside(one, refusal).await?;
                taken.refused_count += 1;
                continue;
            }
            done.push(one);
        }
        taken.add(batch.taken);
        if let Err(error) = self.commit(&mut batch, now_s).await {
            // What was not committed is not known.
            self.known_stacks = KnownStacks::default();
            return Err(error);
        }
        landing.remove(&done).await?;
        Ok((count, taken))
    }

    /// Reads a segment into the batch, or says why it is refused.
    async fn take_segment(
        &mut self,
        (landing, landed): (&Landing, &Landed),
        batch: &mut Batch,
        (now_s, snapshot): (i64, &Snapshot),
    ) -> Result<Result<(), Refusal>, IntakeError> {
        let segment = match landing.read(landed).await? {
            Ok(segment) => segment,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let rows = segment_rows::of(segment, landed.arrived_ns);
        if rows.end_s() < now_s - self.options.late_s {
            return Ok(Err(Refusal::TooLate));
        }
        for day in rows.days() {
            self.known_stacks.load((self.catalogue.store(), snapshot), (&rows.service, day)).await?;
        }
        batch.add(rows, &mut self.known_stacks);
        Ok(Ok(()))
    }

    /// Writes the batch's files and commits them. If somebody else has taken in one of its segments meanwhile, nothing
    /// counts: the files are left for retention, and the segments for the next call.
    async fn commit(&self, batch: &mut Batch, now_s: i64) -> Result<(), IntakeError> {
        if batch.is_empty() {
            return Ok(());
        }
        let files: Vec<DataFile> = batch.write(self.catalogue.store()).await?;
        let segments: &[(SegmentId, i64)] = batch.segments();
        let oldest_s = now_s - 2 * self.options.late_s;
        let committed = self.catalogue.commit(|newest| {
            let mut next = newest.clone();
            if !segments.iter().all(|(id, end_s)| next.streams.add(*id, *end_s)) {
                return None;
            }
            next.streams.forget_before(oldest_s);
            next.files.extend(files.iter().cloned());
            Some(next)
        });
        match committed.await? {
            Some(_) => Ok(()),
            None => Err(CatalogueError::Contended.into()),
        }
    }
}
