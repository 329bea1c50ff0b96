//! Finds the caller of a frame with the unwind tables that compilers write (DWARF call frame information).
//!
//! ```text
//! UnwindTables ── address ──> UnwindRow ── registers, stack copy ──> registers of the caller
//! ```
//!
//! Without a table, no result is certain ([`without_tables`]).

mod expression;
mod fde_index;
mod row;
mod step;
mod stuck;
mod tables;
mod without_tables;

pub(crate) use row::UnwindRow;
pub(crate) use stuck::Stuck;
pub(crate) use tables::UnwindTables;
pub(crate) use without_tables::{CallSite, NoCaller, caller_without_tables};
