//! The landing: segments that have arrived and are not yet in the tables.

use object_store::ObjectStoreExt;
use object_store::path::Path;
use std::sync::Arc;
use whittle_experiment::{LANDING, Segment, SegmentError, SegmentName, Store, StoreError, read_segment};
use whittle_model::ContentHash;
use whittle_push::SegmentCost;

/// The folder for refused segments.
const REFUSED: &str = "refused";

/// Maximum size of a segment. A segment of a busy host has about a megabyte.
const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// Why a segment was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The segment's bytes have changed, or its content does not match its name.
    Damaged,
    /// A newer version of whittle wrote the segment.
    NewerFormat,
    /// The segment is older than the limit for late segments.
    TooLate,
    /// The segment needs too much memory, or the intake ended repeatedly while it read the segment.
    TooCostly,
}

/// Why one segment was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) refusal: Refusal,
    pub(super) text: String,
}

/// A segment that was moved to the folder of refused segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSegment {
    /// The new path of the segment in the store.
    pub path: String,
    /// The kind of reason.
    pub refusal: Refusal,
    /// The reason.
    pub reason: String,
}

impl Refusal {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Damaged, Self::NewerFormat, Self::TooLate, Self::TooCostly];

    /// The folder below `refused/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::NewerFormat => "newer-format",
            Self::TooLate => "too-late",
            Self::TooCostly => "too-costly",
        }
    }

    pub(super) fn because(self, text: impl Into<String>) -> Reason {
        Reason { refusal: self, text: text.into() }
    }

    /// The folder of segments that were refused for this reason.
    pub fn folder(self) -> String {
        format!("{REFUSED}/{}", self.name())
    }
}

/// A segment that has arrived.
#[derive(Debug, Clone)]
pub(super) struct Landed {
    pub(super) path: Path,
    pub(super) name: SegmentName,
    pub(super) bytes: u64,
    /// Time of arrival by the store's clock, nanoseconds since 1970-01-01 UTC.
    pub(super) arrived_ns: u64,
}

/// The landing of a store.
pub(super) struct Landing {
    store: Arc<Store>,
}

impl Landing {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// All landed segments, sorted by start. Other files are ignored.
    pub(super) async fn list(&self) -> Result<Vec<Landed>, StoreError> {
        let landed = self.store.list(LANDING).await?.into_iter().filter_map(|object| {
            let name = SegmentName::parse(object.location.as_ref())?;
            let arrived_ns = u64::try_from(object.last_modified.timestamp_nanos_opt()?).ok()?;
            Some(Landed { path: object.location, name, bytes: object.size, arrived_ns })
        });
        let mut landed: Vec<Landed> = landed.collect();
        landed.sort_by(|a, b| (a.name.start_wall_ns, &a.path).cmp(&(b.name.start_wall_ns, &b.path)));
        Ok(landed)
    }

    /// Reads a segment, or returns why the segment is refused.
    pub(super) async fn read(&self, landed: &Landed) -> Result<Result<Segment, Reason>, StoreError> {
        if landed.bytes > MAX_SEGMENT_BYTES {
            let text = format!("it has {} MiB; the limit is {} MiB", landed.bytes >> 20, MAX_SEGMENT_BYTES >> 20);
            return Ok(Err(Refusal::TooCostly.because(text)));
        }
        let refused = |error| self.store.refused(error);
        let bytes = self.store.objects().get(&landed.path).await.map_err(refused)?.bytes().await.map_err(refused)?;
        if ContentHash::of(&bytes) != landed.name.content {
            return Ok(Err(Refusal::Damaged.because("its bytes do not match its name")));
        }
        Ok(checked(read_segment(&bytes), landed.name))
    }

    /// Moves a refused segment to the folder for this reason.
    pub(super) async fn put_aside(&self, landed: &Landed, reason: Reason) -> Result<RefusedSegment, StoreError> {
        let Reason { refusal, text } = reason;
        let name = landed.path.filename().unwrap_or_default();
        let aside = Path::from(format!("{}/{name}", refusal.folder()));
        let moved = self.store.objects().rename(&landed.path, &aside).await;
        moved.map_err(|error| self.store.refused(error))?;
        Ok(RefusedSegment { path: aside.to_string(), refusal, reason: text })
    }

    /// Removes segments that are in the tables.
    pub(super) async fn remove(&self, landed: &[&Landed]) -> Result<(), StoreError> {
        self.store.remove(landed.iter().map(|landed| landed.path.clone()).collect()).await.map(drop)
    }
}

/// The segment, if it can be loaded.
fn checked(read: Result<Segment, SegmentError>, name: SegmentName) -> Result<Segment, Reason> {
    let segment = read.map_err(|error| {
        let refusal = match error {
            SegmentError::NewerFormat(_) => Refusal::NewerFormat,
            SegmentError::TooLarge { .. } => Refusal::TooCostly,
            SegmentError::Incomplete(_)
            | SegmentError::Damaged(_)
            | SegmentError::Invalid(_)
            | SegmentError::Write(_) => Refusal::Damaged,
        };
        refusal.because(error.to_string())
    })?;
    if !is_named_so(&segment, name) {
        return Err(Refusal::Damaged.because("its content does not match its name"));
    }
    let cost = SegmentCost::of(&segment.tables, name.start_wall_ns);
    cost.check().map_err(|costly| Refusal::TooCostly.because(costly.to_string()))?;
    Ok(segment)
}

/// Whether a segment matches its name and contains everything that the tables need.
fn is_named_so(segment: &Segment, name: SegmentName) -> bool {
    let manifest = &segment.manifest;
    manifest.segment == Some(name.id)
        && manifest.start_wall_ns == Some(name.start_wall_ns)
        && !manifest.label("service").is_empty()
        && i64::try_from(name.start_wall_ns).is_ok()
}
