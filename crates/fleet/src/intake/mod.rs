//! Loads each landed segment exactly once into the fleet's tables.
//!
//! ```text
//! list segments/ ─ known? ──> delete
//!                └ read, check, split by service and hour ──> write files ──> commit ──> delete the segments
//! ```
//!
//! The commit adds the new files and their segments to the snapshot in one step. If the intake crashes before the
//! commit, no snapshot names the new files. If the intake crashes after the commit, the next round finds that the
//! segments are known, and deletes the segments. Unreadable segments, and segments that need too much memory, are moved
//! to `refused/` for inspection.

mod batch;
mod known_stacks;
mod landing;
mod reading;
mod segment_rows;

pub use landing::{Refusal, RefusedSegment};

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Snapshot};
use crate::rows::FileError;
use batch::Batch;
use known_stacks::KnownStacks;
use landing::{Landed, Landing, Reason};
use object_store::path::Path;
use reading::{MAX_ALONE, Reading};
use std::sync::Arc;
use thiserror::Error;
use whittle_experiment::StoreError;
use whittle_model::SegmentId;
use whittle_push::MAX_ROW_BYTES;

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

/// Why a segment is refused after the intake ended repeatedly.
const FATAL: &str = "the intake ended repeatedly while it read this segment; the segment may need too much memory";

/// The result of one call of [`Intake::run`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Segments that this call added to the tables.
    pub segment_count: u64,
    /// Segments that were already in the tables.
    pub known_count: u64,
    /// Segments that were refused.
    pub refused: Vec<RefusedSegment>,
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
        self.refused.extend(other.refused);
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
    /// The segments that an earlier program was reading when it ended. Missing: not read yet.
    suspects: Option<Reading>,
}

impl Intake {
    /// An intake into the tables of `catalogue`.
    pub fn new(catalogue: Catalogue, options: IntakeOptions) -> Self {
        Self { catalogue, options, known_stacks: KnownStacks::default(), suspects: None }
    }

    /// Loads all landed segments. `now_s` is the current time in seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    /// See [`IntakeError`]. Earlier commits remain.
    pub async fn run(&mut self, now_s: i64) -> Result<Taken, IntakeError> {
        let store = Arc::clone(self.catalogue.store());
        let suspects = match self.suspects.take() {
            Some(suspects) => suspects,
            None => Reading::left_behind(&store).await?,
        };
        let landed = Landing::new(Arc::clone(&store)).list().await?;
        let taken = self.take_all((&landed, &suspects), now_s).await;
        let ended = if landed.is_empty() { Ok(()) } else { Reading::end(&store).await };
        // After an error, the next call reads the suspect segments alone again.
        self.suspects = Some(if taken.is_ok() { Reading::default() } else { suspects });
        self.known_stacks.forget_before(now_s - self.options.late_s);
        let taken = taken?;
        ended?;
        Ok(taken)
    }

    async fn take_all(
        &mut self,
        (mut landed, suspects): (&[Landed], &Reading),
        now_s: i64,
    ) -> Result<Taken, IntakeError> {
        let mut taken = Taken::default();
        while !landed.is_empty() {
            let batch = &landed[..self.batch_length(landed, suspects)];
            let (count, done) = self.take_batch((batch, suspects), now_s).await?;
            taken.add(done);
            landed = &landed[count..];
        }
        Ok(taken)
    }

    /// Number of segments to load together. A suspect segment is loaded alone.
    fn batch_length(&self, landed: &[Landed], suspects: &Reading) -> usize {
        let mut bytes = 0;
        let fits = |(position, one): &(usize, &Landed)| {
            let is_first = *position == 0;
            let has_room = bytes < self.options.batch_bytes && !suspects.contains(&one.path);
            bytes += one.bytes;
            is_first || has_room && !suspects.contains(&landed[0].path)
        };
        landed.iter().enumerate().take_while(fits).count()
    }

    /// Loads the first segments of `landed`. Returns the number of these segments, and the result.
    async fn take_batch(
        &mut self,
        (landed, suspects): (&[Landed], &Reading),
        now_s: i64,
    ) -> Result<(usize, Taken), IntakeError> {
        let landing = &Landing::new(Arc::clone(self.catalogue.store()));
        let snapshot = self.catalogue.newest().await?;
        let new: Vec<&Path> =
            landed.iter().filter(|one| !snapshot.streams.contains(one.name.id)).map(|one| &one.path).collect();
        if let [fatal] = new.as_slice()
            && suspects.alone_count(fatal) >= MAX_ALONE
        {
            let reason = Refusal::TooCostly.because(FATAL);
            let refused = vec![landing.put_aside(&landed[0], reason).await?];
            return Ok((1, Taken { refused, ..Taken::default() }));
        }
        suspects.begin(self.catalogue.store(), &new).await?;
        let (mut taken, mut batch, mut done) = (Taken::default(), Batch::default(), Vec::new());
        let mut count = 0;
        for one in landed {
            if batch.row_bytes >= MAX_ROW_BYTES {
                break;
            }
            count += 1;
            if snapshot.streams.contains(one.name.id) || batch.contains(one.name.id) {
                taken.known_count += 1;
            } else if let Err(reason) = self.take_segment((landing, one), &mut batch, (now_s, &snapshot)).await? {
                taken.refused.push(landing.put_aside(one, reason).await?);
                continue;
            }
            done.push(one);
        }
        taken.add(std::mem::take(&mut batch.taken));
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
    ) -> Result<Result<(), Reason>, IntakeError> {
        let segment = match landing.read(landed).await? {
            Ok(segment) => segment,
            Err(reason) => return Ok(Err(reason)),
        };
        let rows = segment_rows::of(segment, landed.arrived_ns);
        if rows.end_s() < now_s - self.options.late_s {
            return Ok(Err(Refusal::TooLate.because("it is older than the limit that --late sets")));
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
