//! Whittle for many machines. Agents write segments to a store. This crate loads the segments into tables, and answers
//! queries over all segments.
//!
//! ```text
//! agents ──> segments/ ── intake ──> tables/ ── compaction, retention
//!                                      │
//!                    catalogue/ says which files are valid
//!                                      │
//!             query ──── SQL ──> engine ──> sums per stack ──> Profile ──> views, comparisons (crate views)
//! ```

pub mod catalogue;
pub mod compaction;
pub mod cost;
pub mod demo;
pub mod engine;
pub mod fleet;
pub mod intake;
mod periods;
pub mod profile;
pub mod question;
pub mod regressions;
pub mod retention;
pub mod rows;
pub mod saving;
pub mod serve;
pub mod services;
pub mod share;
pub mod stacks;
pub mod store_clock;
pub mod tables;
pub mod top;
