//! Events and metrics: what is observed, and the named quantities that samples add up to.
//!
//! ```text
//! registry ── one entry for each event and each metric
//!     │
//!     ├──> known:      functions on entries
//!     ├──> definition: how a manifest stores a metric, known or foreign
//!     └──> seen:       which metrics a set of samples supports
//! ```

#[macro_use]
mod facts;

mod cpu_mode;
mod definition;
mod known;
mod registry;
mod seen;
mod wait_reason;
mod weight;

pub use cpu_mode::CpuMode;
pub use definition::{MetricDefinition, MetricName, cpu_metrics, off_cpu_metrics};
pub use facts::{Choice, Distance, Engines, EventFacts, Resource, Shown, Summed};
pub use registry::{EventKind, Metric, MetricFacts};
pub use seen::{MetricsSeen, Observed};
pub use wait_reason::WaitReason;
pub use weight::{Unit, WeightColumn};
