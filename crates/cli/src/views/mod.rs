//! The commands that show one experiment, or two versions of a program side by side.
//!
//! ```text
//! whittle VIEW EXPERIMENT …           ┐
//! whittle compare BASE CANDIDATE VIEW ┴─> command: the views ──> subject: experiments ──> text, JSON, CSV
//! whittle findings EXPERIMENT …       ──> findings
//! ```

mod arguments;
pub(crate) mod command;
pub(crate) mod compare;
pub(crate) mod findings;
mod subject;
