//! From one frame to its caller, by the unwind tables that compilers write (DWARF call frame information).
//!
//! ```text
//! UnwindTables ── address ──> UnwindRow ── registers, stack copy ──> registers of the caller
//! ```
//!
//! Where there is no table there is no certain way; what is tried then says so ([`without_tables`]).

mod expression;
mod fde_index;
mod row;
mod step;
mod tables;
mod without_tables;

pub(crate) use row::UnwindRow;
pub(crate) use step::Stuck;
pub(crate) use tables::UnwindTables;
pub(crate) use without_tables::{CallSite, NoCaller, caller_without_tables};
