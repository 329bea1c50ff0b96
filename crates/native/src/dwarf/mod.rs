//! Debug information: source lines and inlined functions.
//!
//! ```text
//! address ──> unit ──┬──> function ──> functions inlined there, outermost first
//!                    └──> line of the innermost function; each inlined function has the line of its call
//! ```
//!
//! Data is read piece by piece, when an address needs it. All loops read the input forwards, and there is no recursion.
//! So a malicious file costs time in proportion to its size, but cannot overflow the stack.

mod functions;
mod lines;
mod names;
mod ranges;
mod sections;
mod source;
mod units;

pub use sections::DebugSections;
pub use source::{SourceFrame, SourceLines};
