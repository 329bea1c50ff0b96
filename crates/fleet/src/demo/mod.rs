//! The fleet of the demo. The program includes a recording of thirty hosts that run the message consumer.
//!
//! ```text
//! archive  ──> segments of 30 hosts, as their agents wrote them
//! landing  ──> a process for each host writes its segments, with times moved to now and a wrong clock
//! check    ──> compares sums over the segments with the answers of the fleet
//! ```
//!
//! Only the clock errors are invented. All hosts were recorded on one machine, so the demo adds an error to each host's
//! clock. `cargo xtask fleet-demo-segments` records the segments.

mod archive;
mod check;
mod landing;

pub use archive::{pack, recorded, recorded_of};
pub use check::{Checked, Expected, LAMBDA, Seen, check};
pub use landing::{Recording, land_host};

use crate::catalogue::CatalogueError;
use crate::fleet::QueryError;
use thiserror::Error;
use whittle_experiment::{SegmentError, StoreError};

/// The service of all segments.
pub const SERVICE: &str = "orders";

/// Version 1.0 masks whole messages and takes stack traces. Version 1.1 avoids both costs.
pub const VERSIONS: [&str; 2] = ["1.0", "1.1"];

/// The causes of high cost in version 1.0. Whole messages are masked, and a log line takes a stack trace to find the
/// source of a call.
pub const CAUSES: [&str; 2] =
    ["example.tracing.WholeTextMasking.maskedStart", "example.calllog.StackTraceSource.nameOf"];

/// Why the demo fails.
#[derive(Debug, Error)]
pub enum DemoError {
    /// The archive is damaged.
    #[error("the archive of recorded segments is damaged: {0}")]
    Archive(String),
    /// A segment cannot be read or written.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A query has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
}
