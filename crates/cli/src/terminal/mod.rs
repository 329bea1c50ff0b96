//! What the user sees in the terminal: results, notes, progress.

pub(crate) mod collect_progress;
pub(crate) mod long_work;
pub(crate) mod output;
pub(crate) mod run_progress;
