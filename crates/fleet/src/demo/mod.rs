//! A fleet to try: thirty hosts that run the message consumer, recorded once and brought along.
//!
//! ```text
//! archive  ──> segments of 30 hosts, as their agents wrote them
//! landing  ──> a process for each host lands its own, moved to now and off by what its clock is
//! check    ──> what must be in the tables, added up from the segments, against what the fleet answers
//! ```
//!
//! Nothing in it is made up but the clocks: all hosts were recorded on one machine, so a host's clock is given a skew. How
//! the segments are recorded is said by `cargo xtask fleet-demo-segments`.

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

/// The version that masks whole messages and takes stack traces, and the one that does not.
pub const VERSIONS: [&str; 2] = ["1.0", "1.1"];

/// What the fixed version is without, each as the casebook names it: masking whole messages, and the call-source log line
/// that takes a stack trace.
pub const CAUSES: [&str; 2] =
    ["example.tracing.WholeTextMasking.maskedStart", "example.calllog.StackTraceSource.nameOf"];

/// Why the demo fails.
#[derive(Debug, Error)]
pub enum DemoError {
    /// The archive is not what was packed.
    #[error("the archive of recorded segments is damaged: {0}")]
    Archive(String),
    /// A segment cannot be read or written.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A question has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
}
