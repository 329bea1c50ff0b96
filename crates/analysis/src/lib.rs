//! Views over stack weights: functions, callers-callees, call tree. No I/O.
//!
//! [`Profile::load`] takes a manifest and tables; each view is a method of [`Profile`] that takes a
//! [`Query`] and answers in typed rows; [`render`] turns any answer into text, CSV or JSON.
//!
//! ```text
//! samples ── filter ──> one weight per observed stack ── view mode ──> one weight per node of a
//! prefix tree of functions (or lines) ──> exclusive, inclusive and attributed values
//! ```
//!
//! Everything here is computed from what it is given: no files, no clock, no threads, and it also
//! builds for the browser.

mod entity_tree;
mod error;
mod filter;
mod function_name;
mod functions;
mod metrics;
mod profile;
mod query;
mod reduction;
mod render;
mod samples;
mod system_libraries;
mod view_mode;

pub use error::AnalysisError;
pub use filter::{Filter, FilterError};
pub use functions::{FunctionRow, FunctionsView};
pub use metrics::{Column, Flavour, MetricTerm, MetricTerms, SortTerm};
pub use profile::Profile;
pub use query::{Preamble, Query, Values};
pub use render::{Format, Sheet, Style, View, render};
pub use view_mode::ViewMode;
