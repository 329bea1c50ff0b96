//! Debug information: source lines and inlined functions.
//!
//! ```text
//! address ──> unit ──┬──> function ──> functions inlined there, outermost first
//!                    └──> line of the innermost one; each inlined function knows the line it was called from
//! ```
//!
//! Data is read piece by piece, when addresses need it. All loops follow the input forwards and nothing recurses. So a
//! malicious file costs time in proportion to its size, but cannot use up the stack.

mod functions;
mod lines;
mod names;
mod ranges;
mod sections;
mod source;
mod units;

pub use sections::DebugSections;
pub use source::{SourceFrame, SourceLines};
