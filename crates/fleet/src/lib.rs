//! Whittle for many machines: takes in the segments that agents land in a store, keeps them as tables, and answers
//! questions over all of them.
//!
//! ```text
//! agents ──> segments/ ── intake ──> tables/ ── compaction, retention
//!                                      │
//!                    catalogue/ says which files are valid
//!                                      │
//!             question ── SQL ──> engine ──> sums per stack ──> Profile ──> views, comparisons (crate analysis)
//! ```

pub mod catalogue;
pub mod compaction;
pub mod cost;
pub mod demo;
pub mod engine;
pub mod fleet;
pub mod intake;
pub mod profile;
pub mod push;
pub mod question;
pub mod regressions;
pub mod retention;
pub mod rows;
pub mod saving;
pub mod serve;
pub mod services;
pub mod share;
pub mod stacks;
pub mod tables;
pub mod top;
