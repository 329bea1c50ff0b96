//! Loads each landed segment exactly once into the fleet's tables.
//!
//! ```text
//! list segments/ ─ known? ──> delete
//!                └ read, check, split by service and hour ──> write files ──> commit ──> delete the segments
//! ```
//!
//! The commit adds the new files and their segments to the snapshot in one step. If the intake crashes before the
//! commit, no snapshot names the new files. If the intake crashes after the commit, the next round finds that the
//! segments are known, and deletes the segments. Unreadable segments are moved to `refused/` for inspection.

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

/// Options of the intake.
#[derive(Debug, Clone, Copy)]
pub struct IntakeOptions {
    /// Maximum age of segments in seconds. Older segments are refused. Segments that wait in an agent's spool must
    /// arrive within this time.
    pub late_s: i64,
    /// The intake reads segments up to this total size in bytes before it writes files.
    pub batch_bytes: u64,
}

impl Default for IntakeOptions {
    fn default() -> Self {
        Self { late_s: 48 * 3600, batch_bytes: 64 << 20 }
    }
}

/// Why segments could not be loaded. The segments are still in the landing.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An error of the catalogue.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A file of the tables cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The result of one call of [`Intake::run`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Segments that this call added to the tables.
    pub segment_count: u64,
    /// Segments that were already in the tables.
    pub known_count: u64,
    /// Segments that were refused.
    pub refused_count: u64,
    /// Rows of samples in the segments.
    pub sample_count: u64,
    /// Segments of hosts with a clock that is ahead of the store's clock.
    pub ahead_count: u64,
    /// Stacks with the same lower half of the identity as another stack. Samples of these stacks are counted at the
    /// caller.
    pub collision_count: u64,
}

impl Taken {
    /// Adds the result of another call.
    pub fn add(&mut self, other: Self) {
        self.segment_count += other.segment_count;
        self.known_count += other.known_count;
        self.refused_count += other.refused_count;
        self.sample_count += other.sample_count;
        self.ahead_count += other.ahead_count;
        self.collision_count += other.collision_count;
    }
}

/// Loads segments. Run only one intake per store, because several intakes hinder each other.
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

    /// Loads all landed segments. `now_s` is the current time in seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    /// See [`IntakeError`]. Earlier commits remain.
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

    /// Loads the first segments of `landed`. Returns the number of these segments, and the result.
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
            // The commit failed, so the batch's new stacks are not in the tables.
            self.known_stacks = KnownStacks::default();
            return Err(error);
        }
        landing.remove(&done).await?;
        Ok((count, taken))
    }

    /// Reads a segment and adds the segment to the batch, or returns why the segment is refused.
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

    /// Writes the batch's files and commits these files. If another program has loaded one of the segments in the
    /// meantime, nothing is committed. Then retention removes the written files, and the next call loads the segments.
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
